#include "capture/run_bundle/secrets.h"

#include <gmock/gmock.h>

namespace frx::capture {
namespace {

using ::testing::ElementsAre;

std::string recorded(const std::string& argument) { return without_secrets(std::vector<std::string>{"train.py", argument}).back(); }

std::vector<std::string> recorded(std::vector<std::string> arguments) { return without_secrets(arguments); }

TEST(Secrets, AreValuesOfOptionsThatNameThem) {
  for (const char* option :
       {"--password", "--api-key", "--api_key", "--wandb.apiKey", "--hf-token", "--token", "--aws-secret-access-key", "--auth", "-token"}) {
    EXPECT_THAT(recorded({"train.py", option, "value1", "x"}), ElementsAre("train.py", option, "***", "x"));
    EXPECT_EQ(recorded(std::string(option) + "=value1"), std::string(option) + "=***");
  }
  EXPECT_EQ(recorded("WANDB_API_KEY=0123abcd"), "WANDB_API_KEY=***");
  EXPECT_EQ(recorded("logger.wandb.api_key=0123abcd"), "logger.wandb.api_key=***");
}

// Language models have tokens of another kind.
TEST(Secrets, AreNoTokensOfText) {
  for (const char* option :
       {"--max-tokens", "--tokenizer", "--pad-token", "--eos_token", "--token-dim", "--num-tokens-per-batch", "--tokens", "--mask-token",
        "--key", "--key-padding-mask", "--password-file", "--token-path", "--secret-url", "--passes", "--hotkey", "--author"}) {
    EXPECT_THAT(recorded({"train.py", option, "value1"}), ElementsAre("train.py", option, "value1"));
    EXPECT_EQ(recorded(std::string(option) + "=value1"), std::string(option) + "=value1");
  }
}

TEST(Secrets, AreNoNumbersSwitchesAndOptions) {
  EXPECT_EQ(recorded("--use-auth=true"), "--use-auth=true");
  EXPECT_EQ(recorded("--token=7"), "--token=7");
  EXPECT_THAT(recorded({"train.py", "--auth", "--lr", "3"}), ElementsAre("train.py", "--auth", "--lr", "3"));
}

TEST(Secrets, AreKnownByTheirForm) {
  EXPECT_EQ(recorded("hf_abcdefghijklmnopqrstuvwxyz"), "***");
  EXPECT_EQ(recorded("login('ghp_0123456789abcdefghijABCDEFGHIJ')"), "login('***')");
  EXPECT_EQ(recorded("key AKIAIOSFODNN7EXAMPLE."), "key ***");
  EXPECT_EQ(recorded("eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxIn0.abc-def_ghi"), "***");
  EXPECT_EQ(recorded("https://me:pass@host/x"), "https://me:***@host/x");
  EXPECT_EQ(recorded("https://0123456789@host/x"), "https://***@host/x");
  EXPECT_EQ(recorded("s3://b/a?X-Amz-Signature=ff&part=2&token=t"), "s3://b/a?X-Amz-Signature=***&part=2&token=***");
  EXPECT_EQ(recorded("Authorization: Bearer abc"), "Authorization: ***");
}

TEST(Secrets, AreFoundInProgramsGivenAsText) {
  EXPECT_EQ(recorded("cd x && python t.py --token=abc --lr 3 --password xyz -v"),
            "cd x && python t.py --token=*** --lr 3 --password *** -v");
  EXPECT_EQ(recorded("import a; login(token='abc', max_tokens=5); b = c"), "import a; login(token='***', max_tokens=5); b = c");
  EXPECT_EQ(recorded("API_KEY=abc python train.py\n"), "API_KEY=*** python train.py\n");
}

TEST(Secrets, AreNotOrdinaryArguments) {
  for (const char* argument : {"train.py", "--lr=3e-4", "hf_model", "sk-learn", "npm_run", "/data/AKIA", "a@b", "http://host:80/x",
                               "x?token=1", "eyJ", "Note: a token"}) {
    EXPECT_EQ(recorded(argument), argument);
  }
}

OrderedJson settings_of(const std::string& yaml) {
  const Document document = parse_yaml("a.yaml", yaml).value();
  return json_of(Value(document.view()));
}

TEST(Secrets, OfSettingsAreTakenOutOfTheirTextToo) {
  const std::string yaml = "# mine\nlogin:\n  api_key: \"abc\"\n  user: me\nmax_tokens: 2048\npassword: 12\nurl: https://u:p@host\n";
  EXPECT_EQ(without_secrets(settings_of(yaml)).dump(),
            R"({"login":{"api_key":"***","user":"me"},"max_tokens":2048,"password":12,"url":"https://u:***@host"})");
  EXPECT_EQ(yaml_without_secrets(yaml, settings_of(yaml)),
            "# mine\nlogin:\n  api_key: \"***\"\n  user: me\nmax_tokens: 2048\npassword: 12\nurl: https://u:***@host\n");
}

TEST(Secrets, ThatCannotBeTakenOutOfATextLeaveNoneOfIt) {
  const std::string yaml = "login:\n  api_key:\n    \"abc\"\n";
  EXPECT_EQ(yaml_without_secrets(yaml, settings_of(yaml)), "# left out: it has what looks like a credential\n");
}

}  // namespace
}  // namespace frx::capture
