#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/mixture/member.hpp"
#include "mixture/cluster_start.hpp"

namespace skde {

/// Sorts members by their places along a Z curve, so that neighbours in space are near in memory.
void sort_members(std::vector<Member>& members);

/// Splits a member in two of half its mass, on both sides of its mean along its longest axis, so
/// that mass, mean and covariance stay as far as its own covariance allows. Returns the second one.
Member split_member(Member& member, const Symmetric3& kernel);

/// Merges near pairs by their moments, those first that add the least squared error, until at most
/// `count` members are left. They are then sorted by sort_members(). `kernel` is the kernel's part
/// of covariances, in squared cells. `draws` changes the order of merges of like errors.
void merge_members(std::vector<Member>& members, std::size_t count, const Symmetric3& kernel,
                   StartDraws draws = StartDraws(1));

/// Returns the integral of the squared sum of the members.
double self_overlap(std::span<const Member> members, const Symmetric3& kernel);

/// Moves up to `count` members, sorted by sort_members(), to where the error is: merges pairs of
/// near members by their moments where that adds the least squared error, and splits those with the
/// largest share of the squared error. Stops where a merge would add more than a split may gain.
/// `shares` holds the share of each member. `kernel` is the kernel's part of covariances, in
/// squared cells.
void move_members(std::vector<Member>& members, std::span<const double> shares, std::size_t count,
                  const Symmetric3& kernel);

}  // namespace skde
