/* The largest error of one kernel over many f64: compiled by tests/ulp/native_f64.py, which says what each macro is.

   The reference is a double word computed here, loops over lanes that the compiler makes vectors of: e^x by
   e^(r/8), whose series has eleven terms, raised to the eighth power, with an error of 2^-65; the logarithm by a Newton
   step from the C library's; the normal distribution by Taylor series at multiples of 1/16, from TABLE, which mpmath
   wrote. Results are m 2^n, so that denormals and tails are compared like all others. Nothing here is the project's
   own but the kernel. The driver lets 80-bit floats check samples of it. */

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include TABLE

#define CHUNK 4096
#define IN static inline __attribute__((always_inline))

#ifdef SLOPE
void KERNEL(const double *g, const double *x, double *y);
#else
void KERNEL(const double *x, double *y);
#endif

typedef struct { double h, l; } dd; /* h + l */
typedef struct { dd m; double n; } scaled; /* m 2^n */

IN double least(double a, double b) { return a < b ? a : b; }
IN double most(double a, double b) { return a > b ? a : b; }
IN dd quick(double a, double b) { double s = a + b; return (dd){s, b - (s - a)}; }
IN dd sum(double a, double b) {
    double s = a + b, t = s - a;
    return (dd){s, (a - (s - t)) + (b - t)};
}
IN dd product(double a, double b) { double p = a * b; return (dd){p, fma(a, b, -p)}; }
IN dd add(dd a, dd b) {
    dd s = sum(a.h, b.h), t = sum(a.l, b.l);
    s = quick(s.h, s.l + t.h);
    return quick(s.h, s.l + t.l);
}
IN dd add1(dd a, double b) { dd s = sum(a.h, b); return quick(s.h, s.l + a.l); }
IN dd mul(dd a, dd b) { dd p = product(a.h, b.h); return quick(p.h, p.l + (a.h * b.l + a.l * b.h)); }
IN dd mul1(dd a, double b) { dd p = product(a.h, b); return quick(p.h, fma(a.l, b, p.l)); }
IN dd times2(dd a, double power) { return (dd){a.h * power, a.l * power}; }
IN dd negative(dd a) { return (dd){-a.h, -a.l}; }
IN dd over(dd a, dd b) {
    double q = a.h / b.h;
    dd r = add(a, negative(mul1(b, q)));
    double p = r.h / b.h;
    r = add(r, negative(mul1(b, p)));
    return add1(quick(q, p), r.h / b.h);
}
IN dd choose(int first, dd a, dd b) { return (dd){first ? a.h : b.h, first ? a.l : b.l}; }
IN double two_to(double n) { /* 2^n from n = -1022 to 1023 */
    union { int64_t i; double d; } bits = {((int64_t)n + 1023) << 52};
    return bits.d;
}
IN double lifted(double y, double n) { /* y 2^-n */
    double half = rint(n * 0.5);
    return y * two_to(-half) * two_to(half - n);
}

/* e^r - 1, |r| <= 0.7: relative to it */
IN dd expm1_near(dd r) {
    r = times2(r, 0.125);
    double p = 1.0 / 39916800;
    p = fma(p, r.h, 1.0 / 3628800);
    p = fma(p, r.h, 1.0 / 362880);
    p = fma(p, r.h, 1.0 / 40320);
    p = fma(p, r.h, 1.0 / 5040);
    p = fma(p, r.h, 1.0 / 720);
    p = fma(p, r.h, 1.0 / 120);
    p = fma(p, r.h, 1.0 / 24);
    p = fma(p, r.h, 1.0 / 6);
    dd square = mul(r, r);
    dd m = add(r, times2(square, 0.5));
    m = add1(m, p * (square.h * r.h));
    for (int i = 0; i < 3; i++) m = add(times2(m, 2.0), mul(m, m));
    return m;
}
/* e^(x) = 2^n (1 + m), x in double words up to 2^11 */
IN scaled exp_less(dd x) {
    double n = rint(x.h * 1.4426950408889634);
    double near = fma(n, -LN2_0, x.h); /* exact: 41 bits */
    dd r = add(sum(near, x.l), negative(product(n, LN2_1)));
    r = add1(r, -n * LN2_2);
    return (scaled){expm1_near(r), n};
}
IN scaled exp_of(dd x) { scaled e = exp_less(x); e.m = add1(e.m, 1.0); return e; }
IN dd one(double x) { return (dd){x, 0.0}; }
/* the value of m 2^n as 2^n is at least 2^-500 */
IN dd value(scaled a) { return times2(a.m, two_to(most(a.n, -500.0))); }
/* e^x - 1 */
IN dd expm1_of(dd x) {
    scaled e = exp_less(x);
    double power = two_to(most(e.n, -500.0));
    return add(times2(e.m, power), sum(power, -1.0));
}
/* log(1 + e), 0 <= e <= 1 */
IN dd log1p_of(dd e) {
    double near = log1p(e.h);
    dd m = expm1_near(one(-near)), z = add(e, mul(add1(e, 1.0), m));
    return add(one(near), add(z, times2(mul(z, z), -0.5)));
}
IN scaled plain(dd m) { return (scaled){m, 0.0}; }
IN scaled either(int first, scaled a, scaled b) { return (scaled){choose(first, a.m, b.m), first ? a.n : b.n}; }

/* E / (1 + E) for x < 0, 1 / (1 + E) otherwise, E = e^-|x| */
IN scaled share(int left, scaled e, dd by) {
    dd below = add1(value(e), 1.0);
    return (scaled){over(choose(left, mul(e.m, by), by), below), left ? e.n : 0.0};
}
IN dd twice_u(double x) {
    dd cube = mul((dd){CUBE_0, CUBE_1}, product(x, x));
    return mul1(add(cube, (dd){LINE_0, LINE_1}), x);
}
IN scaled bell(double y) { dd q = product(y, y); return exp_of((dd){q.h * -0.5, q.l * -0.5}); }
/* e^(y^2/2) times the probability of more than y */
IN dd ratio(double y) {
    double place = rint(y * STEPS), h = y - place * (1.0 / STEPS);
    int64_t i = (int64_t)place;
    double v = SERIES[TERMS - 1][i];
#pragma GCC unroll 16
    for (int k = TERMS - 2; k > 2; k--) v = fma(v, h, SERIES[k][i]);
    dd r = add1((dd){SERIES[2][i], LOWER[2][i]}, v * h);
    r = add(mul1(r, h), (dd){SERIES[1][i], LOWER[1][i]});
    return add(mul1(r, h), (dd){SERIES[0][i], LOWER[0][i]});
}

/* beyond, all is 0 or infinite */
IN double ended(double x) { return least(most(x, -1000.0), 1000.0); }

IN scaled of_exp(double x) { return exp_of(one(ended(x))); }
IN scaled of_exp2(double x) {
    x = least(most(x, -1200.0), 1200.0);
    double n = rint(x);
    return (scaled){add1(expm1_near(mul1((dd){LN2_H, LN2_L}, x - n)), 1.0), n};
}
IN scaled of_log(double x) {
    int tiny = x < 0x1p-1000;
    double near = log(x), up = tiny ? x * 0x1p60 : x;
    scaled e = exp_less(one(-near)); /* x e^-near = x 2^n (1 + m) */
    double moved = lifted(up, (tiny ? 60.0 : 0.0) - e.n);
    dd z = add(sum(moved, -1.0), mul1(e.m, moved));
    return plain(add(one(near), add(z, times2(mul(z, z), -0.5))));
}
IN scaled of_tanh(double x) {
    dd e = expm1_of(one(2.0 * least(fabs(x), 40.0))), t = over(e, add1(e, 2.0));
    return plain(x < 0 ? negative(t) : t);
}
IN scaled of_sigmoid(double x) { return share(x < 0, exp_of(one(-fabs(ended(x)))), one(1.0)); }
IN scaled of_silu(double x) { return share(x < 0, exp_of(one(-least(fabs(x), 1000.0))), one(x)); }
IN scaled of_gelu_tanh(double x) {
    dd w = twice_u(least(fabs(x), 23.0));
    return share(x < 0, exp_of((dd){-w.h, -w.l}), one(x));
}
IN scaled of_gelu(double x) {
    double y = least(fabs(x), 39.0);
    scaled e = bell(y);
    e.m = mul1(mul(e.m, ratio(y)), -y);
    return either(x < 0, e, plain(add1(value(e), x)));
}
IN scaled of_elu(double x) { return plain(x > 0 ? one(x) : expm1_of(one(x > 0 ? 0 : most(x, -100.0)))); }
IN scaled of_softplus(double x) {
    scaled e = exp_of(one(-least(fabs(x), 1000.0)));
    scaled small = {add(e.m, times2(mul(e.m, e.m), -0.5 * two_to(most(e.n, -500.0)))), e.n};
    return either(x < -45, small, plain(add1(log1p_of(value(e)), most(x, 0.0))));
}
IN scaled of_exp_inv(double x) { return of_exp(x); }
IN scaled of_exp2_inv(double x) { scaled e = of_exp2(x); e.m = mul(e.m, (dd){LN2_H, LN2_L}); return e; }
IN scaled of_log_inv(double x) { double q = 1.0 / x; return plain((dd){q, fma(-q, x, 1.0) / x}); }
IN scaled hill(double y, double factor) {
    scaled e = exp_of(one(-least(y, 1000.0)));
    dd below = add1(value(e), 1.0);
    return (scaled){over(times2(e.m, factor), mul(below, below)), e.n};
}
IN scaled of_tanh_inv(double x) { return hill(2.0 * fabs(x), 4.0); }
IN scaled of_sigmoid_inv(double x) { return hill(fabs(x), 1.0); }
/* s (1 + by (1 - s)), s the share of E */
IN scaled slope_of_share(double x, scaled e, dd by) {
    scaled s = share(x < 0, e, one(1.0)), rest = share(x >= 0, e, one(1.0));
    return (scaled){mul(s.m, add1(mul(by, value(rest)), 1.0)), s.n};
}
IN scaled of_silu_inv(double x) {
    double y = least(fabs(x), 1000.0);
    return slope_of_share(x, exp_of(one(-y)), one(x < 0 ? -y : y));
}
IN scaled of_gelu_inv(double x) {
    double y = least(fabs(x), 39.0);
    scaled e = bell(y);
    e.m = mul(e.m, add(ratio(y), mul1((dd){-DENSITY_0, -DENSITY_1}, y)));
    return either(x < 0, e, plain(add1(negative(value(e)), 1.0)));
}
IN scaled of_gelu_tanh_inv(double x) {
    double y = least(fabs(x), 23.0), z = x < 0 ? -y : y;
    dd w = twice_u(y), rise = mul1(mul((dd){CUBE_0, CUBE_1}, product(y, y)), 3.0);
    rise = add(rise, (dd){LINE_0, LINE_1});
    return slope_of_share(x, exp_of((dd){-w.h, -w.l}), mul1(rise, z));
}
IN scaled of_elu_inv(double x) { return of_exp(x > 0 ? 0 : x); }
IN scaled of_softplus_inv(double x) { return of_sigmoid(x); }

IN uint64_t mixed(uint64_t z) { /* splitmix64 */
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}
IN double unit_of(uint64_t z) { return (double)(int64_t)(z >> 11) * 0x1p-53; }

static double x[CHUNK] __attribute__((aligned(64))), y[CHUNK] __attribute__((aligned(64)));
static double high[CHUNK], low[CHUNK], power[CHUNK], error[CHUNK], ones[CHUNK];

/* How arguments are drawn: uniformly between a and b; of sizes from 2^a to 2^b, as many for each power, of both signs
   unless a sign is given; or around a, as far as 2^-1 to 2^-46 of it. */
static void draw(char kind, double a, double b, uint64_t seed) {
    int uniform = kind == 'u', near = kind == 'n', positive = kind == 'p';
    double lowest = near ? -46 : a, count = (near ? 0 : b) - lowest;
#pragma omp simd
    for (int i = 0; i < CHUNK; i++) {
        uint64_t first = mixed(seed + 0x9E3779B97F4A7C15u * (uint64_t)(2 * i + 1)), second = mixed(first + seed);
        double u = unit_of(first), n = lowest + floor(unit_of(second) * count);
        double size = (1.0 + u) * two_to(n) * ((second & 1) && !positive ? -1.0 : 1.0);
        double placed = near ? a * (1.0 + 0.5 * size) : size;
        x[i] = uniform ? fma(b - a, u, a) : placed;
    }
}

int main(int count, char **words) {
    /* kind a b chunks seed print */
    (void)count;
    char kind = words[1][0];
    double a = atof(words[2]), b = atof(words[3]), worst = 0, at = 0;
    long chunks = atol(words[4]), wrong = 0;
    uint64_t seed = strtoull(words[5], 0, 10);
    int print = atoi(words[6]);
    for (int i = 0; i < CHUNK; i++) ones[i] = 1;
    for (long chunk = 0; chunk < chunks; chunk++) {
        draw(kind, a, b, mixed(seed * 0x100000000u + (uint64_t)chunk));
#ifdef SLOPE
        KERNEL(ones, x, y);
#else
        KERNEL(x, y);
#endif
#pragma omp simd
        for (int i = 0; i < CHUNK; i++) {
            scaled r = FUNCTION(x[i]);
            double s = r.m.h + r.m.l;
            high[i] = s;
            low[i] = r.m.l - (s - r.m.h);
            power[i] = r.n;
        }
        double largest = 0;
        long odd = 0;
#pragma omp simd reduction(max : largest) reduction(+ : odd)
        for (int i = 0; i < CHUNK; i++) {
            double n = power[i], end = n > 0 ? two_to(1023.0 - n) * 2.0 : 0x1p1023;
            double w = n > 0 ? least(high[i], end) : high[i], v = lifted(y[i], n);
            v = n > 0 ? least(v, end) : v;
            double unit = most(fabs(w), FLOOR * two_to(least(most(-n, -1000.0), 1000.0)));
            unit = most(unit, two_to(most(-1022.0 - n, -1022.0)));
            union { double d; uint64_t i; } bits = {unit};
            bits.i &= 0x7FF0000000000000u;
            double rest = w < high[i] ? 0.0 : low[i], off = fabs((v - w) - rest) * 0x1p52 / bits.d;
            odd += y[i] != y[i] || off != off;
            error[i] = off;
            largest = off > largest ? off : largest;
        }
        wrong += odd;
        if (largest > worst) {
            worst = largest;
            for (int i = 0; i < CHUNK; i++)
                if (error[i] == largest) at = x[i];
        }
        if (print)
            for (int i = 0; i < CHUNK; i++) printf("%a %a %a %.0f %a\n", x[i], high[i], low[i], power[i], error[i]);
    }
    if (!print) printf("%.6f %.17g %ld\n", worst, at, wrong);
    return 0;
}
