"""The methods of `ts.graph` for recurrences, with what they take and return."""

from __future__ import annotations

from collections.abc import Callable

from ..values import Attribute, GraphValue
from .layers import Activations


class RecurrentMethods:
    """Operators of a builder whose step is a program, as methods."""

    def results(self, name: str, *values: GraphValue | float | None, **attributes: Attribute) -> tuple[GraphValue, ...]:
        """Add an operator, and return its results."""
        raise NotImplementedError

    def lstm(
        self,
        x: GraphValue,
        w: GraphValue,
        r: GraphValue,
        b: GraphValue | None = None,
        h: GraphValue | None = None,
        c: GraphValue | None = None,
        lengths: GraphValue | None = None,
        peepholes: GraphValue | None = None,
        *,
        direction: str = "forward",
        activations: Activations | None = None,
        gates: str = "iofc",
        clip: float = 0.0,
        input_forget: bool = False,
    ) -> tuple[GraphValue, ...]:
        """Return y (steps, directions, batch, size), and the last h and c (directions, batch, size).

        x            (steps, batch, inputs), f32 or f64
        w, r         (directions, 4 size, inputs) and (directions, 4 size, size): weights of inputs and of states
        b            (directions, 8 size): biases of both
        h, c         states before the first step; None: 0
        lengths      (batch), integers: the steps of each sample. Further ones leave its states and give 0
        peepholes    (directions, 3 size): pi, po and pf
        direction    forward, reverse (begins with the last step) or bidirectional
        activations  three for each direction, act0 to act2; None: sigmoid, tanh, tanh. A name, or a tuple of it and its
                     numbers: relu, tanh, sigmoid, softsign, softplus, (leakyrelu, slope), (elu, alpha), (hardsigmoid,
                     alpha, beta), (affine, alpha, beta), (thresholdedrelu, alpha), (scaledtanh, alpha, beta)
        gates        their order in w, r and b: "iofc" is ONNX's, "ifco" torch's
        clip         gates take sums between -clip and clip; 0: all
        input_forget whether f is 1 - i

        For each step, with sums i, o, f, c = x w' + h r' + both biases:
            i, f = act0(i + pi c_before), act0(f + pf c_before)
            c = f c_before + i act1(c)
            h = act0(o + po c) act2(c)

        The products with w of all steps are one; the steps are a loop in machine code. Raises ValueError for other
        shapes, TypeError for other types than x's, UnsupportedError for an unknown activation. Sources: Hochreiter and
        Schmidhuber, Long Short-Term Memory (1997); Gers and Schmidhuber, Recurrent Nets that Time and Count (2000), for
        peepholes; LSTM of ONNX.
        """
        options = {"direction": direction, "activations": activations, "gates": gates, "clip": clip}
        return self.results("lstm", x, w, r, b, h, c, lengths, peepholes, input_forget=input_forget, **options)

    def gru(
        self,
        x: GraphValue,
        w: GraphValue,
        r: GraphValue,
        b: GraphValue | None = None,
        h: GraphValue | None = None,
        lengths: GraphValue | None = None,
        *,
        direction: str = "forward",
        activations: Activations | None = None,
        gates: str = "zrh",
        clip: float = 0.0,
        linear_before_reset: bool = False,
    ) -> tuple[GraphValue, ...]:
        """Return y (steps, directions, batch, size), and the last h (directions, batch, size).

        Operands are those of `lstm`, with three gates: w (directions, 3 size, inputs), r (directions, 3 size, size), b
        (directions, 6 size). Activations are two for each direction; None: sigmoid, tanh. gates: "zrh" is ONNX's order,
        "rzh" torch's, whose layers have linear_before_reset=True.

        For each step, with sums z, r, n = x w' + bias of w, and those of h r' + bias of r:
            z, r = act0(z + h rz' + bz), act0(r + h rr' + br)
            n = act1(n + (r h) rh' + bh), or act1(n + r (h rh' + bh)) with linear_before_reset
            h = (1 - z) n + z h

        Sources: Cho et al., Learning Phrase Representations using RNN Encoder-Decoder (2014); GRU of ONNX.
        """
        options = {"direction": direction, "activations": activations, "gates": gates, "clip": clip}
        return self.results("gru", x, w, r, b, h, lengths, linear_before_reset=linear_before_reset, **options)

    def rnn(
        self,
        x: GraphValue,
        w: GraphValue,
        r: GraphValue,
        b: GraphValue | None = None,
        h: GraphValue | None = None,
        lengths: GraphValue | None = None,
        *,
        direction: str = "forward",
        activations: Activations | None = None,
        clip: float = 0.0,
    ) -> tuple[GraphValue, ...]:
        """Return y (steps, directions, batch, size), and the last h (directions, batch, size).

        Operands are those of `lstm`, without gates: w (directions, size, inputs), r (directions, size, size), b
        (directions, 2 size); one activation for each direction, None: tanh. For each step h = act0(x w' + h r' + both
        biases). Sources: Elman, Finding Structure in Time (1990); RNN of ONNX.
        """
        options = {"direction": direction, "activations": activations, "clip": clip}
        return self.results("rnn", x, w, r, b, h, lengths, **options)

    def scan(
        self,
        *values: GraphValue,
        function: Callable[..., object],
        states: int,
        sequences: int,
        steps: int | None = None,
        reverse: bool = False,
    ) -> tuple[GraphValue, ...]:
        """Return the last states, then the outputs of all steps, along a new first axis.

        values     initial states, then sequences, arrays of as many parts along the first axis as there are steps, then
                   values that are the same in all steps
        function   function(g, *states, *parts, *others) builds a step in a program g of its own. It returns the next
                   states, of the same shapes and types, then outputs
        states, sequences   how many of the values are such
        steps      the number of steps, where there are no sequences
        reverse    whether steps begin with the last parts

        The steps are a loop in machine code. Raises ValueError and TypeError for what does not fit, and, when the
        program is compiled, UnsupportedError if a step needs a function of Python.
        """
        options = {"states": states, "sequences": sequences, "steps": steps, "reverse": reverse}
        return self.results("scan", *values, function=function, **options)
