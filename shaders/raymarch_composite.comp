#version 450 core
#include "composite.glsl"
