#include "service/http/listener.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <new>
#include <utility>

#include "core/report/error.hpp"
#include "service/answer/http_message.hpp"

namespace skde::service {
namespace {

namespace asio = boost::asio;
using Tcp = asio::ip::tcp;

constexpr std::size_t kMostRefusedAtOnce = 16;
/// A connection that has been silent this long may be closed to make room for others.
constexpr std::chrono::milliseconds kFirstSilence{1000};

[[noreturn]] void refuse(const std::string& given) {
  throw Error(ErrorKind::usage, fmt::format("must be an address with a port; got '{}'", given),
              {"listen", "give `listen=127.0.0.1:8080`"});
}

/// Covers a few copies of the largest JSON body, which has half a million values. Pages that are
/// never written to cost only address space.
constexpr std::size_t kReserve = std::size_t{64} << 20;

std::atomic<void*> reserve{nullptr};

/// The allocation is tried again after this returns.
void on_want_of_memory() {
  void* const part = reserve.exchange(nullptr);
  if (!part) throw std::bad_alloc();
  std::free(part);
}

}  // namespace

bool ListenAddress::is_loopback() const { return asio::ip::make_address(host).is_loopback(); }

ListenAddress parse_listen_address(const std::string& given) {
  const std::size_t colon = given.rfind(':');
  if (colon == given.npos) refuse(given);
  ListenAddress address;
  address.host = given.substr(0, colon);
  if (address.host.starts_with('[') && address.host.ends_with(']'))
    address.host = address.host.substr(1, address.host.size() - 2);
  const char* const end = given.data() + given.size();
  const auto [next, problem] = std::from_chars(given.data() + colon + 1, end, address.port);
  boost::system::error_code unknown;
  asio::ip::make_address(address.host, unknown);
  if (problem != std::errc{} || next != end || unknown) refuse(given);
  return address;
}

Listener::Listener(asio::io_context& context, const ListenAddress& address,
                   const HttpSetting& setting)
    : acceptor_(context), pause_(context), setting_(setting) {
  const Tcp::endpoint endpoint(asio::ip::make_address(address.host), address.port);
  try {
    acceptor_.open(endpoint.protocol());
    acceptor_.set_option(Tcp::acceptor::reuse_address(true));
    acceptor_.bind(endpoint);
    acceptor_.listen(4096);
  } catch (const boost::system::system_error& error) {
    throw Error(ErrorKind::resources,
                fmt::format("{}:{}: cannot listen there: {}", address.host, address.port,
                            error.code().message()),
                {"listen", "choose another address with `listen`"});
  }
}

std::uint16_t Listener::port() const { return acceptor_.local_endpoint().port(); }

void Listener::start() { accept(); }

void Listener::stop() {
  boost::system::error_code ignored;
  acceptor_.close(ignored);
  pause_.cancel();
  setting_.traffic.is_ending = true;
  for (const auto& session : sessions()) session->wind_up();
}

void Listener::end_streams() {
  for (const auto& session : sessions()) session->end_stream();
}

void Listener::end_all() {
  for (const auto& session : sessions()) session->end();
}

bool Listener::works() const {
  return std::ranges::any_of(setting_.traffic.sessions, &HttpSession::works);
}

std::vector<std::shared_ptr<HttpSession>> Listener::sessions() const {
  std::vector<std::shared_ptr<HttpSession>> all;
  for (HttpSession* const session : setting_.traffic.sessions)
    if (auto held = session->weak_from_this().lock()) all.push_back(std::move(held));
  return all;
}

void Listener::accept() {
  acceptor_.async_accept([this](boost::system::error_code problem, Tcp::socket socket) {
    if (!acceptor_.is_open()) return;
    if (problem) {  // perhaps out of descriptors: some will be free again
      pause_.expires_after(std::chrono::milliseconds(50));
      pause_.async_wait([this](boost::system::error_code ended) {
        if (!ended) accept();
      });
      return;
    }
    try {
      take(std::move(socket));
    } catch (const std::bad_alloc&) {  // this connection ends; others can still be accepted
    }
    accept();
  });
}

void Listener::take(Tcp::socket socket) {
  const bool full = setting_.traffic.connections >= setting_.limits.connections && !make_room();
  if (full) ++setting_.traffic.refused;
  // Even a refusal uses a descriptor for a while.
  if (full && setting_.traffic.connections >= setting_.limits.connections + kMostRefusedAtOnce)
    return;
  const auto session = std::make_shared<HttpSession>(std::move(socket), setting_);
  if (full)
    session->refuse(Problem(503, "busy", "the limit on connections is reached; try again later")
                        .with("Retry-After", "1")
                        .response());
  else
    session->start();
}

/// Ends a connection that is idle or has no token, so that nobody can lock others out by opening
/// connections.
bool Listener::make_room() {
  const auto late = std::chrono::steady_clock::now() - kFirstSilence;
  const auto idleness = [&](const HttpSession* session) { return session->idleness(late); };
  const auto chosen = std::ranges::min_element(setting_.traffic.sessions, {}, idleness);
  if (chosen == setting_.traffic.sessions.end() || idleness(*chosen) == HttpSession::Idleness::none)
    return false;
  const auto held = (*chosen)->weak_from_this().lock();
  if (held) held->end();
  return held != nullptr;
}

void keep_memory_reserve() {
  std::set_new_handler(on_want_of_memory);
  refill_memory_reserve();
}

bool refill_memory_reserve() {
  if (reserve.load()) return true;
  void* const part = std::malloc(kReserve);
  void* none = nullptr;
  if (!reserve.compare_exchange_strong(none, part)) std::free(part);
  return part != nullptr;
}

}  // namespace skde::service
