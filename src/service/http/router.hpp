#pragma once

#include "service/http/service_routes.hpp"

namespace skde::service {

/// Finds the handler of a request, and rejects requests without a token.
class Router final : public RequestHandler {
 public:
  explicit Router(ServiceState& state) : state_(state) {}
  BodyPlace body_place(Request& request) override;
  void handle(Request request, Respond respond) override;

 private:
  BodyPlace place_of_body(Request& request);

  ServiceState& state_;
};

}  // namespace skde::service
