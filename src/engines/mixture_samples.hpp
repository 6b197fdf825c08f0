#pragma once

#include <span>
#include <vector>

#include "core/cloud/samples.hpp"
#include "core/problem.hpp"
#include "engines/mixture_engine.hpp"

/// Members as the samples of an engine that sums them, and back.
namespace skde {

/// The kernel's part of covariances, in squared cells of the frame.
Symmetric3 kernel_in_cells(const MixtureProblem& problem);

/// The sums of members as a problem of engines: Gaussians with shapes of their own, per cell.
Problem summed_problem(const MixtureProblem& problem);

/// Appends a member as a sample.
void append_member(Samples& to, const Member& member, const Symmetric3& kernel_in_cells,
                   const Grid& frame);

/// Returns the members of a mixture, without a state of an optimiser. The kernel's part of
/// covariances is subtracted; what remains is at least kLeastFactor wide along every axis.
std::vector<Member> members_of(const Mixture& mixture, const MixtureProblem& problem);
/// Returns the mixture of these members.
Mixture mixture_of(std::span<const Member> members, const MixtureProblem& problem);

/// Returns about how many pairs of a member and a cell (or point) a pass has.
double mixture_pairs(const MixtureProblem& problem, std::size_t members, const Symmetric3& typical);

}  // namespace skde
