// Runs CUDA kernels on the CPU, for tests on machines without a GPU. Only what the kernels of
// matrices/gpu/kernels use is here.
//
// The blocks of a grid run one after the other. The threads of a block are fibers that change at
// barriers and shuffles, where all threads of the block or of the warp meet. Vector types have the
// alignment that a device requires.

#include <math.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#define EXPORTED extern "C" __attribute__((visibility("default")))
#define __global__
#define __device__
#define __forceinline__ inline
#define __launch_bounds__(...)
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __shared__ static  // only one block is running

struct alignas(8) float2 { float x, y; };
struct alignas(16) float4 { float x, y, z, w; };
struct alignas(16) double2 { double x, y; };
struct alignas(16) int4 { int x, y, z, w; };
struct alignas(8) ushort4 { unsigned short x, y, z, w; };
struct Place { unsigned x, y, z; };

static inline float2 make_float2(float x, float y) { return {x, y}; }
static inline float4 make_float4(float x, float y, float z, float w) { return {x, y, z, w}; }

static Place threadIdx, blockIdx, blockDim, gridDim;

namespace emulator {

const int MAX_THREADS = 1024;
const size_t STACK_BYTES = 1 << 16;

static jmp_buf scheduler, fibers[MAX_THREADS];
static ucontext_t contexts[MAX_THREADS];
static char* stacks;
static unsigned char* shared_memory;
static bool has_started[MAX_THREADS], has_ended[MAX_THREADS];
static unsigned char slots[MAX_THREADS][8];
static int current;
static void (*body)();

static void run_others() {
    if (!_setjmp(fibers[current])) _longjmp(scheduler, 1);
}

// A place where all threads of a group wait for each other; threads that have ended do not count.
struct Barrier {
    int n_threads, n_waiting;
    unsigned turn;

    void wait() {
        const unsigned before = turn;
        n_waiting++;
        open_if_complete();
        while (turn == before) run_others();
    }

    void leave() {
        n_threads--;
        open_if_complete();
    }

    void open_if_complete() {
        if (n_waiting && n_waiting == n_threads) {
            n_waiting = 0;
            turn++;
        }
    }
};

static Barrier block_barrier, warp_barriers[MAX_THREADS / 32];

static void run_thread() {
    body();
    has_ended[current] = true;
    block_barrier.leave();
    warp_barriers[current / 32].leave();
    _longjmp(scheduler, 1);
}

static void run_block(int n_threads) {
    block_barrier = {n_threads, 0, 0};
    for (int warp = 0; warp * 32 < n_threads; warp++) warp_barriers[warp] = {32, 0, 0};
    memset(has_started, 0, sizeof has_started);
    memset(has_ended, 0, sizeof has_ended);
    for (volatile bool is_running = true; is_running;) {
        is_running = false;
        for (volatile int thread = 0; thread < n_threads; thread++) {
            if (has_ended[thread]) continue;
            is_running = true;
            current = thread;
            threadIdx.x = unsigned(thread);
            if (_setjmp(scheduler)) continue;
            if (has_started[thread]) _longjmp(fibers[thread], 1);
            has_started[thread] = true;
            setcontext(&contexts[thread]);
        }
    }
}

static void run_grid(unsigned width, unsigned height, unsigned n_threads, size_t shared_bytes) {
    stacks = static_cast<char*>(malloc(STACK_BYTES * n_threads));
    shared_memory = static_cast<unsigned char*>(aligned_alloc(16, shared_bytes + 16 & ~size_t(15)));
    for (unsigned thread = 0; thread < n_threads; thread++) {
        ucontext_t& context = contexts[thread];
        getcontext(&context);
        context.uc_stack.ss_sp = stacks + STACK_BYTES * thread;
        context.uc_stack.ss_size = STACK_BYTES;
        // A thread never returns, so that every block can begin it again.
        makecontext(&context, run_thread, 0);
    }
    gridDim = {width, height, 1};
    blockDim = {n_threads, 1, 1};
    for (unsigned y = 0; y < height; y++) {
        for (unsigned x = 0; x < width; x++) {
            blockIdx = {x, y, 0};
            threadIdx = {0, 0, 0};
            run_block(int(n_threads));
        }
    }
    free(shared_memory);
    free(stacks);
}

// The value of another thread of the warp.
template <class T>
static T from_lane(T value, int lane) {
    memcpy(slots[current], &value, sizeof(T));
    warp_barriers[current / 32].wait();
    T other;
    memcpy(&other, slots[current / 32 * 32 + lane], sizeof(T));
    warp_barriers[current / 32].wait();
    return other;
}

template <int... I> struct Numbers {};
template <int N, int... I> struct Count : Count<N - 1, N - 1, I...> {};
template <int... I> struct Count<0, I...> { typedef Numbers<I...> type; };

// Calls a kernel with arguments that are stored one after the other.
template <class... A>
struct Kernel {
    static void (*function)(A...);
    static void** arguments;

    template <int... I>
    static void call(Numbers<I...>) { function(*static_cast<A*>(arguments[I])...); }
    static void call_all() { call(typename Count<sizeof...(A)>::type()); }
};
template <class... A> void (*Kernel<A...>::function)(A...);
template <class... A> void** Kernel<A...>::arguments;

template <class... A>
static void run(
    void (*function)(A...), unsigned width, unsigned height, unsigned n_threads,
    size_t shared_bytes, void** arguments)
{
    Kernel<A...>::function = function;
    Kernel<A...>::arguments = arguments;
    body = Kernel<A...>::call_all;
    run_grid(width, height, n_threads, shared_bytes);
}

}  // namespace emulator

static inline void __syncthreads() { emulator::block_barrier.wait(); }
static inline void __threadfence() {}
template <class T> static T __ldcs(const T* place) { return *place; }
template <class T> static T __ldcg(const T* place) { return *place; }

template <class T>
static T __shfl_xor_sync(unsigned, T value, int apart) {
    return emulator::from_lane(value, emulator::current % 32 ^ apart);
}

template <class T>
static T __shfl_sync(unsigned, T value, int lane, int width = 32) {
    return emulator::from_lane(value, emulator::current % 32 / width * width + lane % width);
}

template <class T>
static T atomicAdd(T* place, T value) {
    const T before = *place;
    *place += value;
    return before;
}
