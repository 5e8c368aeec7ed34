// What torch.compile logs about compilations, among other output of a program.
//
//   V0628 16:16:07.987000 1404 torch/_dynamo/guards.py:2575] [0/1] [__recompiles] Recompiling function fn in /home/me/train.py:4
//   V0628 16:16:07.987000 1404 torch/_dynamo/guards.py:2575] [0/1] [__recompiles]     triggered by the following guard failure(s):
//   V0628 16:16:07.987000 1404 torch/_dynamo/guards.py:2575] [0/1] [__recompiles]     - 0/0: tensor 'x' stride mismatch at index 0.
//   expected 8, actual 1 W0628 16:16:09.120000 1404 torch/_dynamo/convert_frame.py:896] [0/8] torch._dynamo hit config.recompile_limit (8)
//   W0628 16:16:09.120000 1404 torch/_dynamo/convert_frame.py:896] [0/8]    function: 'fn' (/home/me/train.py:4)
//   W0628 16:16:09.120000 1404 torch/_dynamo/convert_frame.py:896] [0/8]    last reason: 0/7: tensor 'x' stride mismatch at index 0. ...
//   skipping cudagraphs due to mutated inputs (1 instances). Found from :
//
// PyTorch 2.0 to 2.2 begin a line with "[2023-11-06 14:54:54,691] [0/1] torch._dynamo.guards.__recompiles: [DEBUG]", torchrun with
// "[rank3]:", and some handlers with nothing; the words after that are the same but for "strides mismatch", "cache_size_limit" and
// "reasons:" of 2.0. Messages of several ranks may stand between each other.
#pragma once

#include <string>

#include "base/files.h"
#include "base/result.h"
#include "model/dynamo_log.h"

namespace frx::ingest {

// `name`: for messages. Lines of any other kind are skipped; a text without any message gives an empty log. Errors: the source cannot be
// read, or has a line of more than 64 MB. Linear in the bytes, and at most model::most_messages messages are kept.
Result<model::DynamoLog> read_dynamo_log(const std::string& name, ByteSource& source);

}  // namespace frx::ingest
