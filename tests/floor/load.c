/*
 * A load generator that uses little CPU itself. It subscribes over WebSocket (belfry.binary.v1), publishes at a steady rate,
 * discards all input, and prints the server's CPU time per message, measured after a warm-up.
 *
 *   load PORT PID fan   N RATE BURST WARM SECONDS   one subject, N subscribers, BURST messages in one write
 *   load PORT PID relay N RATE BURST WARM SECONDS   N subjects with one subscriber each, published in turn
 *   load PORT PID churn SECONDS THREADS             connect, upgrade, subscribe, wait for the answer, reset; repeated
 *   load PORT PID hold  N SECONDS                   N idle sessions with a subject of their own
 *   load PORT PID return N EACH MISSED ROUNDS       N sessions with EACH of 10,000 subjects lose their connections, MISSED
 *                                                   subjects get a message, and all return; belfry.json.v1
 *   load PORT PID mixed N EVERY RATE SECONDS [PATTERN]
 *                                                   N sessions in several processes, each with a subject of its own and a
 *                                                   common one, or PATTERN instead; the common subject gets a message each EVERY
 *                                                   ms; the latencies of RATE messages per second to 500 of the sessions
 *   load PORT PID most N SUBJECTS RATE SECONDS      RATE deliveries per second to N sessions of SUBJECTS subjects: the deliveries
 *                                                   that arrive, and their latencies, with their mean
 *   load PORT PID reset N RATE                      RATE messages per second to ten sessions, whose latencies are measured while
 *                                                   N other sessions are reset at once
 *   load PORT PID join N EACH RATE                  RATE messages per second to ten sessions, whose latencies are measured while
 *                                                   N other sessions send EACH subscriptions, all at once
 *   load PORT PID drain N SOCKET TIME               the times from a request for a drain over TIME, such as 5s, sent to the
 *                                                   control socket, to the notices and the ends of N sessions
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
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { DATA = 512, MESSAGE_HEAD = 16, FRAME_HEAD = 4, SUBJECT_MAX = 64, OPEN_FILES = 20000 };

static int port;
static int pid;

/* A number in the subjects of this run. The server may remember where the subjects of an earlier run had their homes. */
static int run;

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

static void request_upgrade(int fd, const char *protocol) {
    char request[512];
    int n = snprintf(request, sizeof request,
                     "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                     "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n"
                     "Sec-WebSocket-Protocol: %s\r\n\r\n",
                     protocol);
    write_fully(fd, (const unsigned char *)request, n);
}

static void upgrade(int fd) {
    request_upgrade(fd, "belfry.binary.v1");
    int seen = 0;
    char c;
    while (seen < 4) {
        if (read(fd, &c, 1) != 1)
            die("upgrade");
        seen = c == (seen % 2 ? '\n' : '\r') ? seen + 1 : c == '\r';
    }
}

/* An answered command has an id, here 1, because a command without one is answered only by errors. */
static size_t subscribe_frame(unsigned char *out, const char *subject, int answered) {
    unsigned char payload[SUBJECT_MAX + 16] = {2, answered};
    size_t length = 2;
    if (answered) {
        length += 8;
        payload[length - 1] = 1;
    }
    length += 2;
    payload[length - 1] = 1; /* one subject */
    payload[length++] = strlen(subject);
    memcpy(payload + length, subject, strlen(subject));
    return frame(out, payload, length + strlen(subject));
}

static int subscriber(const char *subject) {
    unsigned char out[256];
    int fd = dial();
    upgrade(fd);
    write_fully(fd, out, subscribe_frame(out, subject, 0));
    return fd;
}

static void subject_of(char *out, int relay, int i) {
    if (relay)
        sprintf(out, "/p/s%08d", run * 10000 + i);
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
    size_t length = subscribe_frame(out, subject, 1);
    /* The epoch event and the answer to the subscription. */
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

/* Sessions that return together. Their sockets block, because each is read once when it is ready and its commands are few. */
enum { SUBJECTS = 10000, JOINING = 256, EACH_MAX = 1000, PARTIAL = 4096, COMMANDS = 256 * EACH_MAX, TEXT = 120 };
enum how { BEGIN, BEGIN_KEPT, SUBSCRIBE_AGAIN, CONTINUE };

struct session {
    int fd, upgraded, awaited; /* the events until the session is complete */
    size_t partial;            /* bytes of an incomplete frame */
    char id[256];
    unsigned char bytes[PARTIAL];
};

static struct session *sessions;
static int each, missed;
static unsigned long long epoch, seqs[SUBJECTS];
static unsigned long sent_commands, sent_bytes;

static int subject_index(long session, long i) {
    return (session * 31 + i * 97) % SUBJECTS;
}

static size_t append_command(unsigned char *out, const char *text, size_t n) {
    size_t length = frame(out, (const unsigned char *)text, n);
    out[0] = 0x81;
    sent_commands++;
    sent_bytes += length;
    return length;
}

static size_t connect_command(char *out, long session, enum how how) {
    size_t n = sprintf(out, "{\"op\":\"connect\",\"id\":1");
    if (how == BEGIN_KEPT)
        n += sprintf(out + n, ",\"session\":\"\"");
    if (how == CONTINUE) {
        n += sprintf(out + n, ",\"session\":\"%s\",\"positions\":[", sessions[session].id);
        for (int i = 0; i < each; i++) {
            int subject = subject_index(session, i);
            n += sprintf(out + n, "%s\"/subject/%05d\",\"%llu:%llu\"", i ? "," : "", subject, epoch, seqs[subject]);
        }
        n += sprintf(out + n, "]");
    }
    return n + sprintf(out + n, "}");
}

static void send_commands(long session, enum how how) {
    static unsigned char out[COMMANDS];
    static char text[64 * EACH_MAX];
    size_t length = append_command(out, text, connect_command(text, session, how));
    for (int i = 0; how != CONTINUE && i < each; i++) {
        int subject = subject_index(session, i);
        int n = sprintf(text, "{\"op\":\"subscribe\",\"id\":%d,\"subject\":\"/subject/%05d\"", i + 2, subject);
        if (how == SUBSCRIBE_AGAIN)
            n += sprintf(text + n, ",\"from\":\"%llu:%llu\"", epoch, seqs[subject]);
        n += sprintf(text + n, "}");
        length += append_command(out + length, text, n);
    }
    write_fully(sessions[session].fd, out, length);
}

static void refuse(const char *what, const char *event) {
    fprintf(stderr, "%s: %s\n", what, event);
    exit(1);
}

static void on_event(struct session *s, const unsigned char *bytes, size_t n, enum how how) {
    char event[PARTIAL];
    memcpy(event, bytes, n);
    event[n] = 0;
    int subject;
    unsigned long long from, seq;
    if (!strncmp(event, "{\"op\":\"connected\"", 17)) {
        char *id = strstr(event, "\"session\":\"");
        if (!id || sscanf(id, "\"session\":\"%255[^\"]", s->id) != 1)
            refuse("no session", event);
        if (how == CONTINUE && !strstr(event, "\"resumed\":true"))
            refuse("not resumed", event);
    } else if (sscanf(event, "{\"op\":\"subscribed\",\"id\":%*d,\"subject\":\"/subject/%d\",\"epoch\":%llu,\"seq\":%llu", &subject, &from,
                      &seq) == 3) {
        if (how == BEGIN || how == BEGIN_KEPT) {
            epoch = from;
            seqs[subject] = seq;
        }
    } else if (strncmp(event, "{\"op\":\"message\"", 15) && strncmp(event, "{\"op\":\"published\"", 17)) {
        refuse("unexpected", event);
    }
    s->awaited--;
}

/* The bytes of the first frame, and where its payload begins; 0 if it is incomplete. */
static size_t frame_length(const unsigned char *in, size_t n, size_t *head) {
    if (n < 4)
        return 0;
    *head = in[1] == 126 ? 4 : 2;
    size_t length = *head + (in[1] == 126 ? in[2] << 8 | in[3] : in[1]);
    if (in[1] > 126 || length > PARTIAL)
        refuse("too large", "a frame");
    return length <= n ? length : 0;
}

/* Reads once; returns 1 when the upgrade is complete. */
static int read_session(struct session *s, enum how how) {
    static unsigned char buffer[PARTIAL + 65536];
    memcpy(buffer, s->bytes, s->partial);
    ssize_t r = read(s->fd, buffer + s->partial, 65536);
    if (r <= 0)
        die("the server closed a session");
    size_t n = s->partial + r, at = 0, head, length;
    int upgraded = 0;
    if (!s->upgraded) {
        unsigned char *end = memmem(buffer, n, "\r\n\r\n", 4);
        if (end) {
            s->upgraded = upgraded = 1;
            at = end + 4 - buffer;
        }
    }
    while (s->upgraded && (length = frame_length(buffer + at, n - at, &head)) > 0) {
        if ((buffer[at] & 15) == 1)
            on_event(s, buffer + at + head, length - head, how);
        at += length;
    }
    s->partial = n - at;
    if (s->partial > PARTIAL)
        refuse("too large", "an answer to the handshake");
    memcpy(s->bytes, buffer + at, s->partial);
    return upgraded;
}

static void open_session(struct session *s, int awaited) {
    s->fd = dial();
    s->upgraded = s->partial = 0;
    s->awaited = awaited;
    request_upgrade(s->fd, "belfry.json.v1");
}

static int awaited_by(long session, enum how how) {
    int awaited = how == CONTINUE ? 1 : 1 + each;
    for (int i = 0; (how == SUBSCRIBE_AGAIN || how == CONTINUE) && i < each; i++)
        awaited += subject_index(session, i) < missed;
    return awaited;
}

/* Connects all sessions, and returns when each has all its answers and messages; halfway is the time when half of them have. */
static void join(int n, enum how how, double *halfway) {
    int poll = epoll_create1(0), opened = 0, joining = 0, complete = 0;
    struct epoll_event events[512];
    while (complete < n) {
        for (; opened < n && joining < JOINING; opened++, joining++) {
            open_session(&sessions[opened], awaited_by(opened, how));
            struct epoll_event event = {.events = EPOLLIN, .data.u32 = opened};
            epoll_ctl(poll, EPOLL_CTL_ADD, sessions[opened].fd, &event);
        }
        int ready = epoll_wait(poll, events, 512, 10000);
        if (ready == 0)
            refuse("timeout", "the server sent nothing for 10 s");
        for (int i = 0; i < ready; i++) {
            struct session *s = &sessions[events[i].data.u32];
            if (read_session(s, how)) {
                joining--;
                send_commands(events[i].data.u32, how);
            }
            if (s->upgraded && s->awaited == 0) {
                s->awaited = -1;
                if (++complete == (n + 1) / 2)
                    *halfway = now();
            }
        }
    }
    close(poll);
}

static void publish_missed(void) {
    struct session publisher;
    static unsigned char out[256];
    char text[64 + TEXT], data[TEXT];
    memset(data, 'x', TEXT);
    open_session(&publisher, missed);
    while (!read_session(&publisher, BEGIN))
        ;
    for (int i = 0; i < missed; i++) {
        int n = sprintf(text, "{\"op\":\"publish\",\"id\":%d,\"subject\":\"/subject/%05d\",\"data\":\"%.100s\"}", i, i, data);
        write_fully(publisher.fd, out, append_command(out, text, n));
        while (publisher.awaited > missed - i - 1)
            read_session(&publisher, BEGIN);
    }
    close(publisher.fd);
}

/* Ends the sessions with a close frame, so that the server does not keep them. */
static void leave(int n) {
    static const unsigned char close_frame[] = {0x88, 0x82, 0, 0, 0, 0, 0x03, 0xe8};
    for (int i = 0; i < n; i++)
        write_fully(sessions[i].fd, close_frame, sizeof close_frame);
    sleep(2);
    for (int i = 0; i < n; i++)
        close(sessions[i].fd);
}

static void return_once(int n, int kept) {
    double halfway;
    join(n, kept ? BEGIN_KEPT : BEGIN, &halfway);
    for (int i = 0; i < n; i++)
        close(sessions[i].fd);
    sleep(1);
    publish_missed();
    sleep(1);
    sent_commands = sent_bytes = 0;
    double cpu = server_cpu(), start = now();
    join(n, kept ? CONTINUE : SUBSCRIBE_AGAIN, &halfway);
    double end = now();
    usleep(200000);
    cpu = server_cpu() - cpu;
    printf("%s: %d sessions of %d subjects: %.1f commands and %.0f bytes each, %.1f us of server CPU each; half of the sessions "
           "after %.2f s, all after %.2f s\n",
           kept ? "continued" : "subscribed again", n, each, sent_commands / (double)n, sent_bytes / (double)n, cpu / n * 1e6,
           halfway - start, end - start);
    fflush(stdout);
    leave(n);
}

static void returning(int n, int rounds) {
    if (each < 1 || each > EACH_MAX || missed > SUBJECTS)
        refuse("out of bounds", "EACH or MISSED");
    sessions = calloc(n, sizeof *sessions);
    for (int i = 0; i < rounds; i++) {
        return_once(n, 0);
        return_once(n, 1);
    }
}

/* Latencies of messages with a subject of their own, whose data begins with the time of sending. */
enum { LATENCIES_MAX = 10000000 };

static int *latencies;
static long latency_count, common_count;

static int by_value(const void *a, const void *b) {
    return *(const int *)a - *(const int *)b;
}

static void print_latencies(const char *what) {
    qsort(latencies, latency_count, sizeof *latencies, by_value);
    if (latency_count == 0)
        refuse("no latencies", what);
    printf("%s: %ld messages, latency in ms: p50 %.2f, p90 %.2f, p99 %.2f, p99.9 %.2f, max %.2f\n", what, latency_count,
           latencies[latency_count / 2] / 1e3, latencies[latency_count * 9 / 10] / 1e3, latencies[latency_count * 99 / 100] / 1e3,
           latencies[latency_count * 999 / 1000] / 1e3, latencies[latency_count - 1] / 1e3);
    fflush(stdout);
    latency_count = 0;
}

static void publish_timed(int fd, int relay, int subject) {
    unsigned char out[DATA + 256], payload[DATA + 256] = {4, 0};
    char name[SUBJECT_MAX];
    double t = relay ? now() : 0;
    subject_of(name, relay, subject);
    payload[2] = strlen(name);
    memcpy(payload + 3, name, payload[2]);
    memset(payload + 3 + payload[2], 'x', DATA);
    memcpy(payload + 3 + payload[2], &t, sizeof t);
    write_fully(fd, out, frame(out, payload, 3 + payload[2] + DATA));
}

/* Publishes to the sessions' own subjects in turn, and to the common one each EVERY ms, which 0 disables, until it is killed. */
static int begin_publishing(int n, double rate, double every) {
    int child = fork();
    if (child != 0)
        return child;
    int fd = dial(), own = 0;
    upgrade(fd);
    double start = now(), common = every > 0 ? start : 1e18;
    for (long tick = 0;; tick++) {
        double due = start + tick / rate;
        struct timespec at = {(time_t)due, (long)((due - (time_t)due) * 1e9)};
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, 0);
        if (due >= common) {
            publish_timed(fd, 0, 0);
            common += every / 1e3;
        }
        publish_timed(fd, 1, own);
        own = (own + 7919) % n;
    }
}

/* Opens a session that follows the subject of this number, and adds it to the poll. */
static void follow(int poll, struct session *all, int i, int number) {
    char subject[SUBJECT_MAX];
    subject_of(subject, 1, number);
    all[i].fd = subscriber(subject);
    struct epoll_event event = {.events = EPOLLIN, .data.u32 = i};
    epoll_ctl(poll, EPOLL_CTL_ADD, all[i].fd, &event);
}

/* The sessions from one number on; common is a subject or pattern that each of them follows too, or null. */
static int open_timed(struct session *all, int from, int n, const char *common) {
    int poll = epoll_create1(0);
    for (int i = 0; i < n; i++) {
        unsigned char out[256];
        follow(poll, all, i, from + i);
        if (common)
            write_fully(all[i].fd, out, subscribe_frame(out, common, 0));
    }
    return poll;
}

static void read_timed(struct session *s) {
    static unsigned char buffer[PARTIAL + 65536];
    memcpy(buffer, s->bytes, s->partial);
    ssize_t r = recv(s->fd, buffer + s->partial, 65536, MSG_DONTWAIT);
    if (r <= 0)
        die("the server closed a session");
    size_t n = s->partial + r, at = 0, head, length;
    double t, read_at = now();
    while ((length = frame_length(buffer + at, n - at, &head)) > 0) {
        if (length > DATA) {
            memcpy(&t, buffer + at + length - DATA, sizeof t);
            if (t > 0 && latency_count < LATENCIES_MAX)
                latencies[latency_count++] = (int)((read_at - t) * 1e6);
            common_count += t == 0;
        }
        at += length;
    }
    s->partial = n - at;
    memcpy(s->bytes, buffer + at, s->partial);
}

static void read_all_timed(int poll, struct session *all, double seconds) {
    struct epoll_event events[512];
    for (double until = now() + seconds; now() < until;) {
        int ready = epoll_wait(poll, events, 512, 20);
        for (int i = 0; i < ready; i++)
            read_timed(&all[events[i].data.u32]);
    }
}

/* Other sessions, whose messages are discarded by processes of low priority, so that the measured ones are read in time. */
enum { HOLDERS = 4, MEASURED = 500 };

static int holders[HOLDERS];

static void discard_input(int poll, struct session *all) {
    static unsigned char buffer[65536];
    struct epoll_event events[512];
    for (;;) {
        int ready = epoll_wait(poll, events, 512, -1);
        for (int i = 0; i < ready; i++)
            if (recv(all[events[i].data.u32].fd, buffer, sizeof buffer, MSG_DONTWAIT) == 0)
                die("the server closed a session");
    }
}

/* Waits until each holder has written a byte. */
static void await_holders(int end) {
    char ready;
    for (int i = 0; i < HOLDERS; i++)
        if (read(end, &ready, 1) != 1)
            die("the other sessions");
}

static void hold_others(int from, int n, const char *common) {
    int ends[2];
    if (pipe(ends))
        die("pipe");
    for (int i = 0; i < HOLDERS; i++) {
        int first = from + (long)n * i / HOLDERS, count = from + (long)n * (i + 1) / HOLDERS - first;
        holders[i] = fork();
        if (holders[i] == 0) {
            setpriority(PRIO_PROCESS, 0, 10);
            struct session *all = calloc(count + 1, sizeof *all);
            int poll = open_timed(all, first, count, common);
            write_fully(ends[1], (const unsigned char *)"", 1);
            discard_input(poll, all);
        }
    }
    await_holders(ends[0]);
}

static void kill_others(void) {
    for (int i = 0; i < HOLDERS; i++)
        kill(holders[i], SIGKILL);
}

static void await_others(void) {
    for (int i = 0; i < HOLDERS; i++)
        waitpid(holders[i], 0, 0);
}

static void end_others(void) {
    kill_others();
    await_others();
}

static void mixed(int n, double every, double rate, double seconds, const char *common) {
    int measured = n < MEASURED ? n : MEASURED;
    struct session *all = calloc(measured, sizeof *all);
    hold_others(measured, n - measured, common);
    int poll = open_timed(all, 0, measured, common);
    int publisher = begin_publishing(measured, rate, 0);
    read_all_timed(poll, all, seconds);
    latency_count = 0;
    read_all_timed(poll, all, seconds);
    print_latencies("alone");
    kill(publisher, SIGKILL);
    waitpid(publisher, 0, 0);
    publisher = begin_publishing(measured, rate, every);
    read_all_timed(poll, all, seconds);
    latency_count = common_count = 0;
    double cpu = server_cpu();
    read_all_timed(poll, all, seconds);
    printf("server CPU: %.0f %% of a core; %.1f messages to all a second\n", (server_cpu() - cpu) / seconds * 100,
           common_count / (double)measured / seconds);
    print_latencies("beside messages to all");
    kill(publisher, SIGKILL);
    waitpid(publisher, 0, 0);
    end_others();
}

static void most(int n, int subjects, double rate, double seconds) {
    struct session *all = calloc(n, sizeof *all);
    int poll = epoll_create1(0);
    for (int i = 0; i < n; i++)
        follow(poll, all, i, i % subjects);
    int publisher = begin_publishing(subjects, rate * subjects / n, 0);
    read_all_timed(poll, all, seconds / 2);
    latency_count = 0;
    double cpu = server_cpu(), from = now(), sum = 0;
    read_all_timed(poll, all, seconds);
    cpu = server_cpu() - cpu;
    double took = now() - from;
    kill(publisher, SIGKILL);
    waitpid(publisher, 0, 0);
    if (latency_count == 0)
        refuse("no latencies", "most");
    qsort(latencies, latency_count, sizeof *latencies, by_value);
    for (long i = 0; i < latency_count; i++)
        sum += latencies[i];
    printf("%.0f deliveries/s of %.0f, latency mean %.2f ms, p50 %.2f, p99 %.2f, %.2f us of server CPU each\n",
           latency_count / took, rate, sum / latency_count / 1e3, latencies[latency_count / 2] / 1e3,
           latencies[latency_count * 99 / 100] / 1e3, cpu / latency_count * 1e6);
}

/* Ten sessions, and messages to them whose latencies are measured. */
static struct session *probes;
static int probe_poll, probe_publisher;

static void begin_probes(double rate) {
    probes = calloc(10, sizeof *probes);
    probe_poll = open_timed(probes, 0, 10, 0);
    probe_publisher = begin_publishing(10, rate, 0);
    read_all_timed(probe_poll, probes, 3);
    latency_count = 0;
}

static void end_probes(void) {
    kill(probe_publisher, SIGKILL);
    waitpid(probe_publisher, 0, 0);
}

/* The server's CPU time for three seconds of probes. */
static double quiet_cpu(void) {
    double cpu = server_cpu();
    read_all_timed(probe_poll, probes, 3);
    print_latencies("before");
    return server_cpu() - cpu;
}

static void reset(int n, double rate) {
    hold_others(10, n, 0);
    begin_probes(rate);
    double quiet = quiet_cpu(), cpu = server_cpu();
    /* The messages are read while the kernel closes the connections of the killed processes, which takes some 100 ms. */
    kill_others();
    read_all_timed(probe_poll, probes, 3);
    printf("%.1f us of server CPU per reset session\n", (server_cpu() - cpu - quiet) / n * 1e6);
    print_latencies("during the resets");
    await_others();
    end_probes();
}

/* Connects, stops until the parent continues it, and sends the subscriptions of all its sessions. */
static void join_together(int n, int each_joins, int ready) {
    static unsigned char buffer[65536];
    unsigned char *out = malloc((size_t)each_joins * 64);
    int *fds = malloc((n + 1) * sizeof *fds);
    char subject[SUBJECT_MAX];
    for (int i = 0; i < n; i++) {
        fds[i] = dial();
        upgrade(fds[i]);
    }
    write_fully(ready, (const unsigned char *)"", 1);
    raise(SIGSTOP);
    for (int i = 0; i < n; i++) {
        size_t length = 0;
        for (int j = 0; j < each_joins; j++) {
            sprintf(subject, "/j/%d/%06d", i % 100, (i * 7 + j) % 100000);
            length += subscribe_frame(out + length, subject, 0);
        }
        write_fully(fds[i], out, length);
    }
    for (;;)
        for (int i = 0; i < n; i++)
            if (recv(fds[i], buffer, sizeof buffer, 0) <= 0)
                die("the server closed a session");
}

static void join_at_once(int n, int each_joins, double rate) {
    int ends[2];
    if (pipe(ends))
        die("pipe");
    for (int i = 0; i < HOLDERS; i++) {
        holders[i] = fork();
        if (holders[i] == 0) {
            setpriority(PRIO_PROCESS, 0, 10);
            join_together((long)n * (i + 1) / HOLDERS - (long)n * i / HOLDERS, each_joins, ends[1]);
        }
    }
    await_holders(ends[0]);
    begin_probes(rate);
    double quiet = quiet_cpu(), cpu = server_cpu();
    for (int i = 0; i < HOLDERS; i++)
        kill(holders[i], SIGCONT);
    read_all_timed(probe_poll, probes, 3);
    printf("%.2f us of server CPU per subscription\n", (server_cpu() - cpu - quiet) / n / each_joins * 1e6);
    print_latencies("during the subscriptions");
    end_probes();
    end_others();
}

static void request_drain(const char *path, const char *time) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM, 0), n;
    char line[64];
    snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
    if (connect(fd, (void *)&address, sizeof address))
        die("the control socket");
    n = snprintf(line, sizeof line, "drain %s\n", time);
    write_fully(fd, (const unsigned char *)line, n);
    close(fd);
}

/* Reads from all sessions until nothing arrives for a second; returns the end of that second. */
static double read_to_rest(int poll, struct session *all) {
    static unsigned char buffer[65536];
    struct epoll_event events[512];
    int ready;
    while ((ready = epoll_wait(poll, events, 512, 1000)) > 0)
        for (int i = 0; i < ready; i++)
            if (recv(all[events[i].data.u32].fd, buffer, sizeof buffer, MSG_DONTWAIT) == 0)
                die("the server closed a session");
    return now();
}

static void drain(int n, const char *path, const char *time) {
    static unsigned char buffer[65536];
    struct session *all = calloc(n, sizeof *all);
    struct epoll_event events[512];
    int poll = open_timed(all, 0, n, 0), notified = 0, closed = 0;
    double start = read_to_rest(poll, all), cpu = server_cpu(), first = 0, half = 0;
    request_drain(path, time);
    while (closed < n) {
        int ready = epoll_wait(poll, events, 512, 10000);
        if (ready == 0)
            refuse("timeout", "the server sent nothing for 10 s");
        for (int i = 0; i < ready; i++) {
            struct session *s = &all[events[i].data.u32];
            ssize_t r = recv(s->fd, buffer, sizeof buffer, MSG_DONTWAIT);
            if (r > 0 && !s->upgraded) {
                s->upgraded = 1;
                first = notified++ ? first : now();
            } else if (r == 0 || (r < 0 && errno != EAGAIN)) {
                epoll_ctl(poll, EPOLL_CTL_DEL, s->fd, 0);
                close(s->fd);
                half = ++closed == (n + 1) / 2 ? now() : half;
            }
        }
    }
    printf("%d sessions, %d notified, the first after %.3f s; half closed after %.2f s, all after %.2f s; %.1f us of server CPU "
           "per session\n",
           n, notified, first - start, half - start, now() - start, (server_cpu() - cpu) / n * 1e6);
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
    run = getpid() % 9000;
    latencies = calloc(LATENCIES_MAX, sizeof *latencies);
    if (!strcmp(word[3], "churn") && count == 6)
        churn(atof(word[4]), atoi(word[5]));
    else if (!strcmp(word[3], "hold") && count == 6)
        hold(atoi(word[4]), atof(word[5]));
    else if (!strcmp(word[3], "return") && count == 8) {
        each = atoi(word[5]);
        missed = atoi(word[6]);
        returning(atoi(word[4]), atoi(word[7]));
    } else if (!strcmp(word[3], "mixed") && (count == 8 || count == 9))
        mixed(atoi(word[4]), atof(word[5]), atof(word[6]), atof(word[7]), count == 9 ? word[8] : "/f");
    else if (!strcmp(word[3], "most") && count == 8)
        most(atoi(word[4]), atoi(word[5]), atof(word[6]), atof(word[7]));
    else if (!strcmp(word[3], "reset") && count == 6)
        reset(atoi(word[4]), atof(word[5]));
    else if (!strcmp(word[3], "join") && count == 7)
        join_at_once(atoi(word[4]), atoi(word[5]), atof(word[6]));
    else if (!strcmp(word[3], "drain") && count == 7)
        drain(atoi(word[4]), word[5], word[6]);
    else if (count == 9)
        measure(!strcmp(word[3], "relay"), atoi(word[4]), atof(word[5]), atoi(word[6]), atof(word[7]), atof(word[8]));
    else
        return 2;
    return 0;
}
