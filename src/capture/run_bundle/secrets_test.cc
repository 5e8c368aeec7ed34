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

TEST(Secrets, AreKnownByNamesWithoutASeam) {
  for (const char* name :
       {"PGPASSWORD", "MYSQL_PWD", "SSHPASS", "--dbpassword", "-Dpassword", "--clientsecret", "AUTHTOKEN", "DB_PASS", "--pwd", "PASSWORD2",
        "API_KEYS", "STORAGE_ACCOUNT_KEY", "AZURE_STORAGE_CONNECTION_STRING", "--cookie", "SLACK_WEBHOOK_URL", "WANDB_KEY", "--jwt"}) {
    EXPECT_EQ(recorded(std::string(name) + "=value1"), std::string(name) + "=***");
  }
  for (const char* harmless : {"PWD=/home/me", "OLDPWD=/home/me", "--two-pass=yes", "PASSWORD_LENGTH=12", "--compass=x", "--bypass=x"})
    EXPECT_EQ(recorded(harmless), harmless);
}

TEST(Secrets, AreNumbersBehindNamesOfPasswords) {
  EXPECT_THAT(recorded({"t.py", "--password", "12345678", "--api-key", "77"}),
              ElementsAre("t.py", "--password", "***", "--api-key", "***"));
  EXPECT_EQ(recorded("--password=12345678"), "--password=***");
}

TEST(Secrets, AreFoundInsideOfArguments) {
  EXPECT_EQ(recorded("--set=user=a,password=x,lr=1"), "--set=user=a,password=***,lr=1");
  EXPECT_EQ(recorded(R"({"api_key":"x y","lr":1})"), R"({"api_key":"***","lr":1})");
  EXPECT_EQ(recorded(R"("{\"api_key\": \"x\"}")"), R"("{\"api_key\": \"***\"}")");
  EXPECT_EQ(recorded("{'password' : 'x', 'lr': 1}"), "{'password' : '***', 'lr': 1}");
  EXPECT_EQ(recorded("Server=h;AccountKey=abc==;x=1"), "Server=h;AccountKey=***;x=1");
  EXPECT_EQ(recorded("import a; token = 'x y'; b = c"), "import a; token = '***'; b = c");
  EXPECT_EQ(recorded("train --password 'two words' -v"), "train --password *** -v");
  EXPECT_EQ(recorded("x -----BEGIN RSA PRIVATE KEY----- MII"), "***");
}

TEST(Secrets, AreFoundInEveryAddress) {
  EXPECT_EQ(recorded("https://a:p@h,https://b:q@h"), "https://a:***@h,https://b:***@h");
  EXPECT_EQ(recorded("postgres://me:pa/ss@host/db"), "postgres://me:***@host/db");
  EXPECT_EQ(recorded("https://h:80/@scope/x"), "https://h:80/@scope/x");
  EXPECT_EQ(recorded("https://h/x?a=1,https://h/x?access_token=T"), "https://h/x?a=1,https://h/x?access_token=***");
  EXPECT_EQ(recorded("https://hooks.slack.com/services/T0/B0/abcdef"), "https://hooks.slack.com/services/***");
}

TEST(Secrets, AreInHeadersAndUsers) {
  EXPECT_EQ(recorded("curl -H \"Authorization: Bearer abc def\" -H 'X-Api-Key: k' -o f"),
            "curl -H \"Authorization: ***\" -H 'X-Api-Key: ***' -o f");
  EXPECT_EQ(recorded("use Bearer abcdefghij now"), "use Bearer *** now");
  EXPECT_THAT(recorded({"curl", "-u", "me:pw", "-H", "Authorization:abc"}), ElementsAre("curl", "-u", "me:***", "-H", "Authorization:***"));
  EXPECT_EQ(recorded("sh -c x -u me:pw"), "sh -c x -u me:***");
  EXPECT_THAT(recorded({"docker", "run", "-u", "1000:1000"}), ElementsAre("docker", "run", "-u", "1000:1000"));
  EXPECT_THAT(recorded({"/usr/bin/sshpass", "-p", "x", "ssh"}), ElementsAre("/usr/bin/sshpass", "-p", "***", "ssh"));
  EXPECT_EQ(recorded("wandb login 0123456789abcdef0123456789abcdef01234567"), "wandb login ***");
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
            R"({"login":{"api_key":"***","user":"me"},"max_tokens":2048,"password":"***","url":"https://u:***@host"})");
  EXPECT_EQ(yaml_without_secrets(yaml, settings_of(yaml)),
            "# mine\nlogin:\n  api_key: \"***\"\n  user: me\nmax_tokens: 2048\npassword: \"***\"\nurl: https://u:***@host\n");
}

TEST(Secrets, AreTakenOutOfListsAndComments) {
  EXPECT_EQ(without_secrets(settings_of("api_keys: [a, b]\nlogin: {password: {of: x}}\n")).dump(),
            R"({"api_keys":["***","***"],"login":{"password":{"of":"***"}}})");
  const std::string yaml = "lr: 1  # https://me:pw@host\n# old_api_key: abc\nuse_auth: true  # or not\n";
  EXPECT_EQ(yaml_without_secrets(yaml, settings_of(yaml)),
            "lr: 1  # https://me:***@host\n# old_api_key: \"***\"\nuse_auth: true  # or not\n");
}

TEST(Secrets, ThatCannotBeTakenOutOfATextLeaveNoneOfIt) {
  const std::string yaml = "login:\n  api_key:\n    \"abc\"\n";
  EXPECT_EQ(yaml_without_secrets(yaml, settings_of(yaml)), "# left out: it has what looks like a credential\n");
}

}  // namespace
}  // namespace frx::capture
