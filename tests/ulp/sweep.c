/* The largest error of one kernel over all 2^32 f32: compiled by tests/ulp/native.py, which says what each macro is.

   The reference is the C library's function in double, by its vectors of 8 (libmvec: at most 4 ulp of double), so it is
   right to 2^-20 ulp of float, as tests/ulp/reference.py is. Nothing here is the project's own but the kernel. */

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define CHUNK 4096
#define LINE 1.5957691216057308
#define FAR 300.0 /* beyond it every result is 0 or infinite in float; the C library is slow there */
#define CUBE 0.07135481627164246

#ifdef SLOPE
void KERNEL(const float *g, const float *x, float *y);
#else
void KERNEL(const float *x, float *y);
#endif

static inline double least(double a, double b) { return a < b ? a : b; }
static inline double most(double a, double b) { return a > b ? a : b; }
/* NaN stays */
static inline double within(double x, double end) { return x < -end ? -end : x > end ? end : x; }

static inline double falling(double y) { /* 1 / (1 + e^y) */
    double e = exp(-fabs(within(y, FAR)));
    return (y < 0 ? 1.0 : e) / (1.0 + e);
}
static inline double hill(double y) { /* E / (1 + E)^2, E = e^-y */
    double e = exp(-within(y, FAR));
    return e / ((1.0 + e) * (1.0 + e));
}
static inline double twice_u(double x) { return x * (LINE + CUBE * x * x); }
static inline double bell(double x) { return exp(-0.5 * x * x); }
static inline double phi(double x) { return 0.5 * erfc(-x * M_SQRT1_2); }

static inline double of_exp(double x) { return exp(within(x, FAR)); }
static inline double of_exp2(double x) { return exp2(within(x, FAR)); }
static inline double of_log(double x) { return log(x); }
static inline double of_tanh(double x) { return tanh(within(x, 30)); }
static inline double of_sigmoid(double x) { return falling(-x); }
static inline double of_silu(double x) { double y = x < -800 ? -800 : x; return y * falling(-y); }
static inline double of_gelu(double x) { double y = x < -40 ? -40 : x; return x > 40 ? x : y * phi(within(y, 40)); }
static inline double of_gelu_tanh(double x) {
    double y = x < -40 ? -40 : x;
    return x > 40 ? x : y * falling(-twice_u(within(y, 40)));
}
static inline double of_elu(double x) { return x > 0 ? x : expm1(x > 0 ? 0 : within(x, FAR)); }
static inline double of_softplus(double x) { return (x < 0 ? 0 : x) + log1p(exp(-fabs(within(x, FAR)))); }
static inline double of_exp_inv(double x) { return exp(within(x, FAR)); }
static inline double of_exp2_inv(double x) { return M_LN2 * exp2(within(x, FAR)); }
static inline double of_log_inv(double x) { return 1.0 / x; }
static inline double of_tanh_inv(double x) { return 4.0 * hill(2.0 * fabs(x)); }
static inline double of_sigmoid_inv(double x) { return hill(fabs(x)); }
static inline double of_silu_inv(double x) { double y = within(x, 800); return falling(-y) * (1.0 + y * falling(y)); }
static inline double of_gelu_inv(double x) {
    double y = within(x, 40);
    return phi(y) + y * 0.3989422804014327 * bell(y);
}
static inline double of_gelu_tanh_inv(double x) {
    double y = within(x, 40), w = twice_u(y);
    return falling(-w) * (1.0 + y * (LINE + 3 * CUBE * y * y) * falling(w));
}
static inline double of_elu_inv(double x) { return x > 0 ? 1.0 : exp(x > 0 ? 0 : within(x, FAR)); }
static inline double of_softplus_inv(double x) { return falling(-x); }

static union {
    double value[CHUNK];
    uint64_t bits[CHUNK];
} unit; /* the distance of f32 at each result, or at the floor, times 2^23 */

int main(void) {
    static float g[CHUNK] __attribute__((aligned(64))), x[CHUNK] __attribute__((aligned(64)));
    static float y[CHUNK] __attribute__((aligned(64)));
    static double wanted[CHUNK], error[CHUNK];
    double worst = 0;
    float at = 0;
    long wrong_nan = 0;
    for (int i = 0; i < CHUNK; i++) g[i] = 1;
    for (uint64_t first = 0; first < 1ull << 32; first += CHUNK) {
        for (uint32_t i = 0; i < CHUNK; i++) {
            uint32_t n = (uint32_t)first + i;
            memcpy(&x[i], &n, 4);
        }
#ifdef SLOPE
        KERNEL(g, x, y);
#else
        KERNEL(x, y);
#endif
#pragma omp simd
        for (int i = 0; i < CHUNK; i++) wanted[i] = FUNCTION((double)x[i]);
        for (int i = 0; i < CHUNK; i++)
            unit.value[i] = least(most(fabs(wanted[i]), most(FLOOR, 0x1p-126)), 0x1p127);
        for (int i = 0; i < CHUNK; i++) unit.bits[i] &= 0x7FF0000000000000u;
        double largest = 0;
        long odd = 0;
#pragma omp simd reduction(max : largest) reduction(+ : odd)
        for (int i = 0; i < CHUNK; i++) {
            double w = within(wanted[i], 0x1p128), v = within((double)y[i], 0x1p128);
            error[i] = fabs(v - w) / unit.value[i] * 0x1p23;
            odd += (v != v) != (w != w) ? 1 : 0;
            largest = error[i] > largest ? error[i] : largest;
        }
        wrong_nan += odd;
        if (largest > worst) {
            worst = largest;
            for (int i = 0; i < CHUNK; i++)
                if (error[i] == largest) at = x[i];
        }
    }
    printf("%.3f %.9g %ld\n", worst, at, wrong_nan);
    return 0;
}
