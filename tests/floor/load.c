/*
 * A load generator that uses little CPU itself. It subscribes over WebSocket (belfry.binary.v1), publishes at a steady rate,
 * discards all input, and prints the server's CPU time per message, measured after a warm-up.
 *
 *   load PORT PID fan   N RATE BURST WARM SECONDS   one subject, N subscribers, BURST messages in one write
 *   load PORT PID relay N RATE BURST WARM SECONDS   N subjects with one subscriber each, published in turn
 *   load PORT PID churn SECONDS THREADS             connect, upgrade, subscribe, wait for the answer, reset; repeated
 *   load PORT PID hold  N SECONDS                   N idle sessions with a subject of their own
 *
 * CPU time is that of the server's process as the kernel accounts it. On loopback it includes the receiving half of each
 * write, for every server alike.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { DATA = 512, MESSAGE_HEAD = 16, FRAME_HEAD = 4, SUBJECT_MAX = 64, OPEN_FILES = 20000 };

static int port;
static int pid;

static void die(const char *what) {
    perror(what);
    exit(1);
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + t.tv_nsec / 1e9;
}

static double server_cpu(void) {
    clockid_t clock;
    struct timespec t;
    if (clock_getcpuclockid(pid, &clock) || clock_gettime(clock, &t))
        die("the server's clock");
    return t.tv_sec + t.tv_nsec / 1e9;
}

static void read_fully(int fd, size_t n) {
    char buffer[256];
    while (n > 0) {
        ssize_t r = read(fd, buffer, n < sizeof buffer ? n : sizeof buffer);
        if (r <= 0)
            die("read");
        n -= r;
    }
}

static void write_fully(int fd, const unsigned char *bytes, size_t n) {
    while (n > 0) {
        ssize_t w = write(fd, bytes, n);
        if (w < 0)
            die("write");
        bytes += w;
        n -= w;
    }
}

/* A masked binary frame around the payload; returns its length. */
static size_t frame(unsigned char *out, const unsigned char *payload, size_t n) {
    static const unsigned char key[4] = {0x12, 0x34, 0x56, 0x78};
    size_t head = 2;
    out[0] = 0x82;
    if (n < 126) {
        out[1] = 0x80 | n;
    } else {
        out[1] = 0x80 | 126;
        out[2] = n >> 8;
        out[3] = n;
        head = 4;
    }
    memcpy(out + head, key, 4);
    for (size_t i = 0; i < n; i++)
        out[head + 4 + i] = payload[i] ^ key[i & 3];
    return head + 4 + n;
}

/* A connection that will be reset, not closed, so that neither side keeps a socket waiting. */
static int dial(void) {
    int fd = socket(AF_INET, SOCK_STREAM, 0), one = 1;
    if (fd < 0)
        die("socket");
    struct linger reset = {1, 0};
    setsockopt(fd, SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
    setsockopt(fd, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &one, sizeof one);
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    struct sockaddr_in own = {.sin_family = AF_INET}, server = {.sin_family = AF_INET, .sin_port = htons(port)};
    own.sin_addr.s_addr = htonl(0x7f000000 | ((getpid() & 0x3fff) << 8) | 2);
    server.sin_addr.s_addr = htonl(0x7f000001);
    bind(fd, (void *)&own, sizeof own);
    if (connect(fd, (void *)&server, sizeof server))
        die("connect");
    return fd;
}

static void upgrade(int fd) {
    static const char request[] = "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                                  "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n"
                                  "Sec-WebSocket-Protocol: belfry.binary.v1\r\n\r\n";
    write_fully(fd, (const unsigned char *)request, sizeof request - 1);
    int seen = 0;
    char c;
    while (seen < 4) {
        if (read(fd, &c, 1) != 1)
            die("upgrade");
        seen = c == (seen % 2 ? '\n' : '\r') ? seen + 1 : c == '\r';
    }
}

static size_t subscribe_frame(unsigned char *out, const char *subject) {
    unsigned char payload[SUBJECT_MAX + 8] = {2, 0, 0, 1, strlen(subject)};
    memcpy(payload + 5, subject, payload[4]);
    return frame(out, payload, 5 + payload[4]);
}

static int subscriber(const char *subject) {
    unsigned char out[256];
    int fd = dial();
    upgrade(fd);
    write_fully(fd, out, subscribe_frame(out, subject));
    return fd;
}

static void subject_of(char *out, int relay, int i) {
    if (relay)
        sprintf(out, "/p/s%08d", i);
    else
        strcpy(out, "/f");
}

static void publish(int relay, int n, double rate, int burst, double seconds) {
    unsigned char *out = malloc((size_t)burst * (DATA + 256)), payload[DATA + 256] = {4, 0};
    int fd = dial(), next = 0;
    upgrade(fd);
    double start = now();
    for (long tick = 0; tick < seconds * rate / burst; tick++) {
        double due = start + tick * burst / rate;
        struct timespec at = {(time_t)due, (long)((due - (time_t)due) * 1e9)};
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, 0);
        size_t length = 0;
        for (int i = 0; i < burst; i++) {
            char subject[SUBJECT_MAX];
            subject_of(subject, relay, next);
            next = next + 1 < n ? next + 1 : 0;
            payload[2] = strlen(subject);
            memcpy(payload + 3, subject, payload[2]);
            memset(payload + 3 + payload[2], 'x', DATA);
            length += frame(out + length, payload, 3 + payload[2] + DATA);
        }
        write_fully(fd, out, length);
    }
    usleep(200000);
}

static void measure(int relay, int n, double rate, int burst, double warm, double seconds) {
    int poll = epoll_create1(0), *fds = malloc(n * sizeof *fds);
    char subject[SUBJECT_MAX];
    for (int i = 0; i < n; i++) {
        subject_of(subject, relay, i);
        fds[i] = subscriber(subject);
        fcntl(fds[i], F_SETFL, O_NONBLOCK);
        struct epoll_event event = {.events = EPOLLIN, .data.fd = fds[i]};
        epoll_ctl(poll, EPOLL_CTL_ADD, fds[i], &event);
    }
    usleep(500000);
    if (fork() == 0) {
        publish(relay, n, rate, burst, warm + seconds + 0.5);
        _exit(0);
    }
    static unsigned char buffer[65536];
    struct epoll_event events[512];
    uint64_t bytes = 0, reads = 0;
    double from = now() + warm, cpu = -1;
    for (double t = now(); t < from + seconds; t = now()) {
        if (cpu < 0 && t >= from) {
            cpu = server_cpu();
            bytes = reads = 0;
        }
        int ready = epoll_wait(poll, events, 512, 20);
        for (int i = 0; i < ready; i++) {
            ssize_t r = read(events[i].data.fd, buffer, sizeof buffer);
            if (r == 0 || (r < 0 && errno != EAGAIN))
                die("the server closed a subscriber");
            bytes += r > 0 ? r : 0;
            reads += r > 0;
        }
    }
    cpu = server_cpu() - cpu;
    double messages = bytes / (double)(FRAME_HEAD + MESSAGE_HEAD + DATA + strlen(subject));
    printf("%s burst %d: %.0f messages, %.0f/s, %.2f a read, %.3f us of server CPU each\n", relay ? "relay" : "fan",
           burst, messages, messages / seconds, messages / reads, cpu / messages * 1e6);
    wait(0);
}

static double churn_until;
static unsigned long churned[64];

static void *churn_thread(void *index) {
    unsigned char out[256];
    char subject[SUBJECT_MAX];
    sprintf(subject, "/c/s%08ld", (long)index);
    size_t length = subscribe_frame(out, subject);
    /* The epoch event (2 + 11 bytes) and the answer to the subscription (2 + 20 + its subject). */
    size_t answers = 0;
    while (now() < churn_until) {
        int fd = dial();
        upgrade(fd);
        write_fully(fd, out, length);
        if (answers == 0) {
            usleep(100000);
            char buffer[512];
            answers = read(fd, buffer, sizeof buffer);
        } else {
            read_fully(fd, answers);
        }
        close(fd);
        churned[(long)index]++;
    }
    return 0;
}

static void churn(double seconds, int threads) {
    pthread_t all[64];
    churn_until = now() + seconds;
    double cpu = server_cpu(), start = now();
    for (long i = 0; i < threads; i++)
        pthread_create(&all[i], 0, churn_thread, (void *)i);
    unsigned long total = 0;
    for (int i = 0; i < threads; i++) {
        pthread_join(all[i], 0);
        total += churned[i];
    }
    cpu = server_cpu() - cpu;
    printf("churn: %lu connections, %.0f/s, %.1f us of server CPU each: %.0f a second and busy core\n", total,
           total / (now() - start), cpu / total * 1e6, total / cpu);
}

static void hold(int n, double seconds) {
    for (int i = 0; i < n; i++) {
        char subject[SUBJECT_MAX];
        subject_of(subject, 1, i);
        subscriber(subject);
    }
    printf("holding %d\n", n);
    fflush(stdout);
    usleep((useconds_t)(seconds * 1e6));
}

int main(int count, char **word) {
    struct rlimit files = {OPEN_FILES, OPEN_FILES};
    setrlimit(RLIMIT_NOFILE, &files);
    if (count < 5) {
        fprintf(stderr, "usage: see the head of load.c\n");
        return 2;
    }
    port = atoi(word[1]);
    pid = atoi(word[2]);
    if (!strcmp(word[3], "churn") && count == 6)
        churn(atof(word[4]), atoi(word[5]));
    else if (!strcmp(word[3], "hold") && count == 6)
        hold(atoi(word[4]), atof(word[5]));
    else if (count == 9)
        measure(!strcmp(word[3], "relay"), atoi(word[4]), atof(word[5]), atoi(word[6]), atof(word[7]), atof(word[8]));
    else
        return 2;
    return 0;
}
