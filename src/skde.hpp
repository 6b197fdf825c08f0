#pragma once

// All of libskde that its users need: samples in (Session), densities out (Density), point clouds
// and volumes as files.
#include "core/report/error.hpp"
#include "core/report/progress.hpp"
#include "core/version.hpp"
#include "estimate/session.hpp"
#include "io/volumes/volume_formats.hpp"
