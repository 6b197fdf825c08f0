#version 450 core
#define GRADIENT_SHADING
#include "composite.glsl"
