#include "support/made_cluster.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace frx::testing {
namespace {

constexpr double step_ns = 200e6;
constexpr double disturbed_chance = 2e-4, disturbed_share = 0.05;  // of steps of ranks, without a reason
constexpr double leaving_ns = 5e3;                                 // members leave a collective within this time

// splitmix64 (Vigna): equal on all machines, and any place of the sequence can be asked for.
std::uint64_t mixed(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}
double uniform_of(std::uint64_t x) { return static_cast<double>(mixed(x) >> 11) * 0x1.0p-53; }

struct Collective {
  const char* name;
  const char* type;
  std::uint64_t in, out;
  double usual_ns;
};
constexpr Collective collectives[] = {{"allreduce", "BFloat16", 1 << 22, 1 << 22, 400e3},
                                      {"_allgather_base", "BFloat16", 1 << 21, 1 << 22, 600e3},
                                      {"allreduce", "Float", 1 << 26, 1 << 26, 9e6},
                                      {"allreduce", "Float", 1, 1, 60e3}};

}  // namespace

double MadeCluster::uniform() { return uniform_of(mixed(plan_.seed) + draws_++); }

double MadeCluster::gaussian() {
  const double radius = std::sqrt(-2 * std::log(1 - uniform()));
  return radius * std::cos(6.283185307179586 * uniform());
}

MadeCluster::MadeCluster(const ClusterPlan& plan) : plan_(plan), calls_(ranks()), boundaries_(ranks()) {
  plant();
  simulate();
}

std::string MadeCluster::node_of(int rank) const { return fmt::format("node{:04}", rank / plan_.tensor); }

std::string MadeCluster::trace_name(int rank) const { return fmt::format("{}_{}.1700000000000000000.pt.trace.json", node_of(rank), rank); }

void MadeCluster::plant() {
  const int nodes = ranks() / plan_.tensor;
  std::set<int> taken, stages;
  const auto free_node = [&] {
    while (true) {
      const int node = static_cast<int>(uniform() * nodes);
      if (taken.insert(node).second) return node;
    }
  };
  const auto how_late = [&] { return step_ns * (plan_.least_late + uniform() * (plan_.most_late - plan_.least_late)); };
  const auto rank_on = [&](int node) { return node * plan_.tensor + static_cast<int>(uniform() * plan_.tensor); };
  for (int i = 0; i < plan_.late_nodes; ++i) {
    const int node = free_node();
    const double by = how_late();
    for (int rank = node * plan_.tensor; rank < (node + 1) * plan_.tensor; ++rank) late_by_[rank] = by;
    truth_.late_nodes.insert(node_of(node * plan_.tensor));
  }
  for (int i = 0; i < plan_.late_ranks; ++i) {
    const int rank = rank_on(free_node());
    late_by_[rank] = how_late();
    truth_.late_ranks.insert(rank);
  }
  for (int i = 0; i < plan_.ranks_at_times; ++i) {
    const int rank = rank_on(free_node());
    late_by_[rank] = 2 * how_late();
    truth_.ranks_at_times[rank] = i % 2 == 0 ? 0 : 2 + static_cast<int>(uniform() * 3);
  }
  const auto free_stage_node = [&] {
    while (true) {
      const int node = static_cast<int>(uniform() * nodes);
      if (stages.insert(node / plan_.data).second) return node;
    }
  };
  const auto how_slow = [&] { return plan_.least_slow + uniform() * (plan_.most_slow - plan_.least_slow); };
  for (int i = 0; i < plan_.slow_nodes; ++i) {
    const std::string name = node_of(free_stage_node() * plan_.tensor);
    slow_times_[name] = how_slow();
    truth_.slow_nodes.insert(name);
  }
  for (int i = 0; i < plan_.slow_pairs; ++i) {
    const int first = free_stage_node() / 2 * 2;
    const std::pair names(node_of(first * plan_.tensor), node_of((first + 1) * plan_.tensor));
    pair_times_[names] = how_slow();
    truth_.slow_pairs.insert(names);
  }
}

std::vector<MadeCluster::Kind> MadeCluster::kinds_of_step() const {
  std::vector<Kind> kinds;
  for (int layer = 0; layer < plan_.layers; ++layer) {
    kinds.push_back(Kind::tensor);
    if (layer % 4 == 3) kinds.push_back(Kind::pair);
  }
  kinds.push_back(Kind::data);
  kinds.push_back(Kind::all);
  return kinds;
}

std::vector<int> MadeCluster::members_of(int rank, Kind kind) const {
  const int tensor = plan_.tensor, place = rank % tensor, node = rank / tensor, stage = node / plan_.data;
  std::vector<int> members;
  if (kind == Kind::tensor) {
    for (int i = 0; i < tensor; ++i) members.push_back(node * tensor + i);
  } else if (kind == Kind::pair) {
    for (int i = 0; i < 2; ++i) members.push_back((node / 2 * 2 + i) * tensor + place);
  } else if (kind == Kind::data) {
    for (int i = node % 2; i < plan_.data; i += 2) members.push_back((stage * plan_.data + i) * tensor + place);
  } else {
    for (int i = 0; i < ranks(); ++i) members.push_back(i);
  }
  return members;
}

// As PyTorch writes it: long lists are shortened.
std::string MadeCluster::group_text(int rank, Kind kind) const {
  const std::vector<int> members = members_of(rank, kind);
  std::string text = "[";
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (members.size() > 30 && i == 29) {
      text += fmt::format("..., {}", members.back());
      break;
    }
    text += fmt::format("{}{}", members[i], i + 1 < members.size() ? ", " : "");
  }
  return text + "]";
}

// Clocks of nodes are seconds apart and run up to 20 ppm faster or slower.
std::int64_t MadeCluster::on_clock(int rank, double time) const {
  const std::uint64_t node = static_cast<std::uint64_t>(rank / plan_.tensor) + plan_.seed * 1'000'003;
  const double offset = 4e9 * uniform_of(node * 2), drift = 40e-6 * (uniform_of(node * 2 + 1) - 0.5);
  return static_cast<std::int64_t>(1e9 + offset + time * (1 + drift));
}

bool MadeCluster::is_disturbed(int rank, int step) const {
  const auto found = truth_.ranks_at_times.find(rank);
  if (found == truth_.ranks_at_times.end()) return true;  // late ranks are always
  if (found->second > 0) return (step + rank) % found->second == 0;
  return uniform_of(mixed(plan_.seed + 77) + static_cast<std::uint64_t>(rank) * 100'003 + static_cast<std::uint64_t>(step)) < 0.35;
}

void MadeCluster::work(int step, std::vector<double>& time, double share) {
  for (int rank = 0; rank < ranks(); ++rank) {
    double ns = step_ns * share * std::max(0.5, 1 + plan_.work_noise * gaussian());
    const auto late = late_by_.find(rank);
    if (late != late_by_.end() && is_disturbed(rank, step)) ns += late->second * share;
    time[rank] += ns;
  }
}

void MadeCluster::meet(Kind kind, std::vector<double>& time) {
  for (int rank = 0; rank < ranks(); ++rank) {
    const std::vector<int> members = kind == Kind::all && rank > 0 ? std::vector<int>() : members_of(rank, kind);
    if (members.empty() || members.front() != rank) continue;
    double last = 0, times = 1;
    for (const int member : members) last = std::max(last, time[member]);
    if (kind == Kind::pair || kind == Kind::data) {
      for (const int member : members) {
        const auto slow = slow_times_.find(node_of(member));
        if (slow != slow_times_.end()) times = std::max(times, slow->second);
      }
    }
    if (kind == Kind::pair) {
      const auto slow = pair_times_.find({node_of(members[0]), node_of(members[1])});
      if (slow != pair_times_.end()) times = std::max(times, slow->second);
    }
    const double end = last + collectives[static_cast<int>(kind)].usual_ns * times * std::max(0.8, 1 + plan_.transfer_noise * gaussian());
    for (const int member : members) {
      const double left = end + leaving_ns * uniform();
      const std::int64_t begin = on_clock(member, time[member]);
      calls_[member].push_back({begin, static_cast<std::int32_t>(on_clock(member, left) - begin)});
      time[member] = left;
    }
  }
}

void MadeCluster::simulate_step(int step, std::vector<double>& time) {
  for (int rank = 0; rank < ranks(); ++rank) boundaries_[rank].push_back(on_clock(rank, time[rank]));
  // In single steps of single ranks something else happens.
  for (int rank = 0; rank < ranks(); ++rank) {
    if (uniform() < disturbed_chance) time[rank] += step_ns * disturbed_share;
  }
  for (const Kind kind : kinds_of_step()) {
    if (kind == Kind::tensor) work(step, time, 1.0 / (plan_.layers + 1));
    if (kind == Kind::data) work(step, time, 1.0 / (plan_.layers + 1));
    meet(kind, time);
  }
}

void MadeCluster::simulate() {
  std::vector<double> time(ranks());
  for (int step = 0; step < plan_.steps; ++step) simulate_step(step, time);
  for (int rank = 0; rank < ranks(); ++rank) boundaries_[rank].push_back(on_clock(rank, time[rank]));
}

std::string MadeCluster::trace(int rank) const {
  const auto us = [](std::int64_t ns) { return static_cast<double>(ns) / 1e3; };
  std::string events;
  int correlation = 0;
  const auto launch = [&](std::string_view kernel, int stream, std::int64_t begin, std::int64_t duration, std::string_view args) {
    ++correlation;
    events += fmt::format(
        R"({{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":{:.3f},"dur":3,"args":{{"correlation":{}}}}},)"
        "\n"
        R"({{"ph":"X","cat":"kernel","name":"{}","pid":0,"tid":{},"ts":{:.3f},"dur":{:.3f},"args":{{"device":{},"stream":{},"correlation":{}{}}}}},)"
        "\n",
        us(begin) - 5, correlation, kernel, stream, us(begin), us(duration), rank % plan_.tensor, stream, correlation, args);
  };
  const std::vector<Kind> kinds = kinds_of_step();
  std::size_t next = 0;
  for (int step = 0; step < plan_.steps; ++step) {
    std::int64_t at = boundaries_[rank][step];
    events += fmt::format(R"({{"ph":"X","cat":"user_annotation","name":"ProfilerStep#{}","pid":1,"tid":1,"ts":{:.3f},"dur":{:.3f}}},)"
                          "\n",
                          step, us(at) - 20, us(boundaries_[rank][step + 1] - at));
    for (const Kind kind : kinds) {
      const Call& call = calls_[rank][next++];
      if (call.start - at > 1000) launch("sm80_xmma_gemm_bf16", 7, at, call.start - at - 500, "");
      const Collective& what = collectives[static_cast<int>(kind)];
      launch("ncclDevKernel_AllReduce_Sum(ncclDevComm*)", 20 + static_cast<int>(kind), call.start, call.duration,
             fmt::format(R"(,"Collective name":"{}","In msg nelems":{},"Out msg nelems":{},"Group size":{},"dtype":"{}",)"
                         R"("Process Group Name":"{}","Process Group Ranks":"{}")",
                         what.name, what.in, what.out, members_of(rank, kind).size(), what.type, static_cast<int>(kind),
                         group_text(rank, kind)));
      at = call.start + call.duration;
    }
  }
  return fmt::format(
      R"({{"schemaVersion":1,"baseTimeNanoseconds":1700000000000000000,"distributedInfo":{{"backend":"nccl","rank":{},"world_size":{}}},)"
      R"("deviceProperties":[{{"id":{},"name":"NVIDIA H100 80GB HBM3","totalGlobalMem":85000000000,"computeMajor":9,"computeMinor":0,)"
      R"("numSms":132}}],"traceEvents":[)"
      "\n{}{{\"ph\":\"i\",\"name\":\"end\",\"ts\":0,\"pid\":1,\"tid\":1,\"s\":\"g\"}}]}}",
      rank, ranks(), rank % plan_.tensor, events);
}

frx::model::RankSummary MadeCluster::summary(int rank, const report::RankRecording& like) const {
  Interner words;
  report::RankRecording own{std::make_unique<report::TraceReport>(*like.report), {}, like.memory, false};
  own.report->source = trace_name(rank);
  own.report->facts.rank = rank;
  own.report->facts.world_size = ranks();
  const std::vector<Kind> kinds = kinds_of_step();
  std::vector<std::uint32_t> whats, groups;
  for (const Kind kind : {Kind::tensor, Kind::pair, Kind::data, Kind::all}) {
    const Collective& what = collectives[static_cast<int>(kind)];
    const std::string elements = what.in == what.out ? fmt::format("{}", what.in) : fmt::format("{} to {}", what.in, what.out);
    whats.push_back(words.add(fmt::format("{} of {} {}", what.name, elements, what.type)));
    groups.push_back(words.add(fmt::format("group {} {}", static_cast<int>(kind), group_text(rank, kind))));
  }
  own.collectives.described = true;
  for (std::size_t i = 0; i < calls_[rank].size(); ++i) {
    const auto kind = static_cast<std::size_t>(kinds[i % kinds.size()]);
    const Call& call = calls_[rank][i];
    own.collectives.calls.push_back({whats[kind], groups[kind], static_cast<std::int64_t>(i / kinds.size()), call.duration,
                                     call.start + call.duration, 20 + static_cast<std::int64_t>(kind)});
  }
  return report::summary_of(own, words, node_of(rank));
}

}  // namespace frx::testing
