"""The networks of bench_activations.py in PyTorch and JAX, each against its own floor.

python -m tests.bench_other_frameworks (torch | jax) (MLP | CNN | LSTM) PAIRS

prints the timings as JSON. It runs in a process of its own, in which
TensorFlow is idle.
"""

import itertools
import json
import sys

import numpy as np

from tests.bench_activations import compare, example


def torch_modes(network, x, labels):
    """Yield ("eager", floor, with hooks)."""
    import torch
    from torch import nn

    class Last(nn.Module):
        """An LSTM that returns what a Keras LSTM layer returns."""

        def __init__(self, size, sequences):
            super().__init__()
            self.lstm, self.sequences = nn.LSTM(size, 64, batch_first=True), sequences

        def forward(self, x):
            outputs = self.lstm(x)[0]
            return outputs if self.sequences else outputs[:, -1]

    def conv(inputs, outputs):
        return nn.Sequential(nn.Conv2d(inputs, outputs, 3), nn.ReLU())

    if network == "MLP":
        sizes = [256, 512, 512, 512, 512]
        stack = [
            nn.Sequential(nn.Linear(a, b), nn.ReLU()) for a, b in itertools.pairwise(sizes)
        ] + [nn.Linear(512, 10)]
    elif network == "CNN":
        stack = [conv(3, 32), conv(32, 32), nn.MaxPool2d(2), conv(32, 64), conv(64, 64)]
        stack += [nn.MaxPool2d(2), nn.Flatten(), nn.Linear(1600, 10)]
        x = x.transpose(0, 3, 1, 2).copy()
    else:
        stack = [Last(32, True), Last(64, False), nn.Linear(64, 10)]
    torch.manual_seed(0)
    model, x, labels = nn.Sequential(*stack), torch.tensor(x), torch.tensor(labels)

    def floor():
        model.zero_grad(set_to_none=True)
        loss = nn.functional.cross_entropy(model(x), labels)
        loss.backward()
        return loss.item()

    def hooked():
        activations = []

        def keep(module, inputs, output):
            output.retain_grad()
            activations.append(output)

        hooks = [layer.register_forward_hook(keep) for layer in model]
        try:
            value = floor()
        finally:
            for hook in hooks:
                hook.remove()
        assert all(a.grad is not None for a in activations) and len(activations) == len(stack)
        return value

    yield "eager", floor, hooked


def jax_modes(network, x, labels):
    """Yield ("jit", floor, with a zero added to every activation)."""
    import jax
    import jax.numpy as jnp

    rng = np.random.default_rng(0)

    def draw(*shape):
        return jnp.asarray(rng.normal(size=shape, scale=0.05), jnp.float32)

    def affine(w, x):
        return x @ w[0] + w[1]

    def convolution(w, x):
        dimensions = ("NHWC", "HWIO", "NHWC")
        y = jax.lax.conv_general_dilated(x, w[0], (1, 1), "VALID", dimension_numbers=dimensions)
        return jax.nn.relu(y + w[1])

    def pool(w, x):
        size = (1, 2, 2, 1)
        return jax.lax.reduce_window(x, -jnp.inf, jax.lax.max, size, size, "VALID")

    def lstm(w, x):
        def step(state, x):
            h, c = state
            i, f, g, o = jnp.split(x @ w[0] + h @ w[1] + w[2], 4, -1)
            c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
            h = jax.nn.sigmoid(o) * jnp.tanh(c)
            return (h, c), h

        zero = jnp.zeros((x.shape[0], 64))
        return jax.lax.scan(step, (zero, zero), x.transpose(1, 0, 2))[1].transpose(1, 0, 2)

    if network == "MLP":
        hidden = (lambda w, x: jax.nn.relu(affine(w, x)),)
        layers = [*hidden * 4, affine]
        weights = [(draw(a, b), draw(b)) for a, b in ((256, 512), *((512, 512),) * 3, (512, 10))]
    elif network == "CNN":
        layers = [convolution, convolution, pool] * 2
        layers += [lambda w, x: x.reshape(x.shape[0], -1), affine]
        weights = [(draw(3, 3, a, b), draw(b)) for a, b in ((3, 32), (32, 32), (32, 64), (64, 64))]
        weights = [*weights[:2], (), *weights[2:], (), (), (draw(1600, 10), draw(10))]
    else:
        layers = [lstm, lambda w, x: lstm(w, x)[:, -1], affine]
        weights = [(draw(n, 256), draw(64, 256), draw(256)) for n in (32, 64)]
        weights += [(draw(64, 10), draw(10))]
    x, labels = jnp.asarray(x), jnp.asarray(labels)

    def loss(weights, zeros, x, labels):
        activations = []
        for layer, w, zero in zip(layers, weights, zeros, strict=True):
            x = layer(w, x) + zero
            activations.append(x)
        chosen = jnp.take_along_axis(jax.nn.log_softmax(x), labels[:, None], 1)
        return -chosen.mean(), activations

    none = [0.0] * len(layers)
    shapes = jax.eval_shape(loss, weights, none, x, labels)[1]
    zeros = [jnp.zeros(shape.shape) for shape in shapes]
    base = jax.jit(jax.value_and_grad(lambda *a: loss(*a)[0]))
    perturbed = jax.jit(jax.value_and_grad(loss, argnums=(0, 1), has_aux=True))
    yield (
        "jit",
        lambda: jax.block_until_ready(base(weights, none, x, labels)),
        lambda: jax.block_until_ready(perturbed(weights, zeros, x, labels)),
    )


def main(package, network, pairs):
    modes = {"torch": torch_modes, "jax": jax_modes}[package](network, *example(network))
    rows = [{"mode": mode, **vars(compare(base, way, int(pairs)))} for mode, base, way in modes]
    print(json.dumps(rows))


if __name__ == "__main__":
    main(*sys.argv[1:])
