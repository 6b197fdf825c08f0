"""A mixture of Gaussians whose values and gradients PyTorch uses: the likelihood of samples, by Adam.

Needs PyTorch. python3 mixture_autograd.py
"""

import numpy as np
import torch

import skde


class MixtureDensity(torch.autograd.Function):
    """The density of a mixture at points: masses (K,), means (K, 3), covariances (K, 3, 3) and points (M, 3) give (M,).

    Derivatives by all but the points.
    """

    @staticmethod
    def forward(ctx, masses, means, covariances, points):
        ctx.mixture = skde.Mixture(masses.detach(), means.detach(), covariances.detach())
        ctx.points = points.detach().cpu().numpy()
        return torch.from_numpy(ctx.mixture.at(ctx.points)).to(masses)

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx, cotangents):
        found = ctx.mixture.gradient(ctx.points, cotangents)
        return *(torch.from_numpy(derivative).to(cotangents) for derivative in found), None


def density(logits, means, factors, points):
    """The density at points by free numbers: masses are softmax(logits), covariances L L^T + 0.01 with L = tril(factors)."""
    lower = torch.tril(factors)
    covariances = lower @ lower.transpose(1, 2) + 0.01 * torch.eye(3, dtype=factors.dtype)
    return MixtureDensity.apply(torch.softmax(logits, 0), means, covariances, points)


def check():
    """Compares the derivatives with finite differences, in double."""
    random = torch.Generator().manual_seed(1)
    logits, means, factors = (torch.randn(shape, generator=random, dtype=torch.float64)
                              for shape in ((5,), (5, 3), (5, 3, 3)))
    points = torch.randn(40, 3, generator=random, dtype=torch.float64)
    free = [numbers.requires_grad_() for numbers in (logits, means, factors + 2 * torch.eye(3))]
    return torch.autograd.gradcheck(lambda *numbers: density(*numbers, points), free)


def fit(xyz, members, steps):
    """Raises the likelihood of samples from members at some of them; returns the mean logarithms of all steps."""
    points = torch.as_tensor(np.asarray(xyz), dtype=torch.float64)
    logits = torch.zeros(members, dtype=torch.float64, requires_grad=True)
    means = points[:: len(points) // members][:members].clone().requires_grad_()
    factors = torch.eye(3, dtype=torch.float64).repeat(members, 1, 1).requires_grad_()
    adam = torch.optim.Adam([logits, means, factors], lr=0.05)
    logarithms = []
    for _ in range(steps):
        adam.zero_grad()
        likelihood = density(logits, means, factors, points).clamp_min(1e-300).log().mean()
        (-likelihood).backward()
        adam.step()
        logarithms.append(likelihood.item())
    return logarithms


if __name__ == "__main__":
    print("gradcheck:", check())
    generator = np.random.default_rng(1)
    samples = np.concatenate([generator.normal(size=(2000, 3)), generator.normal([4, 0, 0], 0.5, size=(1000, 3))])
    found = fit(samples, 8, 100)
    print(f"mean log-likelihood: {found[0]:.3f} before, {found[-1]:.3f} after {len(found)} steps")
