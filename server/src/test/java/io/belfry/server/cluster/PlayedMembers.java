package io.belfry.server.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.belfry.server.config.PresenceConfig;
import io.belfry.server.counter.Counters;
import io.belfry.server.presence.PresenceRooms;
import io.belfry.server.presence.SharedRooms;
import io.belfry.server.subject.SubjectKey;
import io.belfry.server.turn.Clock;
import io.belfry.server.turn.LongWork;
import io.belfry.server.turn.Loop;
import io.belfry.server.turn.Turn;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Simulated nodes that read two logs at their own pace, and followers of a presence subject. */
final class PlayedMembers {
    static final long GONE_MILLIS = 10_000;
    static final long LEAVE_MILLIS = 5_000;

    /** A slow node reads a report, and writes a message, within this time. */
    static final long SLOW_MILLIS = 3_000;

    private static final int MESSAGE_BYTES = 4_000_000;
    static final byte[] NAME = "/$presence/room".getBytes(StandardCharsets.UTF_8);
    static final ByteBuffer ROOM = ByteBuffer.wrap(NAME);

    /** A time without sessions of a user. */
    record Absence(long fromMillis, long toMillis) {}

    /** A record of the log of reports. Immutable. */
    static final class Report {
        private final String node;
        private final byte[] value;
        private final long timeMillis;

        Report(String node, byte[] value, long timeMillis) {
            this.node = node;
            this.value = value;
            this.timeMillis = timeMillis;
        }
    }

    /** All nodes, and the two logs. */
    static final class World implements Clock {
        final Random random;
        final PresenceConfig config;
        final List<Report> reports = new ArrayList<>();
        final List<byte[]> messages = new ArrayList<>();
        final List<Node> nodes = new ArrayList<>();

        /** Users that the application was told of: who is present, by the events of all nodes. */
        final Set<String> told = new TreeSet<>();

        /** The events of all nodes. */
        final List<String> events = new ArrayList<>();

        final View observer = new View();

        /** The absences of each user: the times without a session on any living node. */
        final Map<String, List<Absence>> absences = new HashMap<>();

        final String name;
        private int started;
        long nowMillis = 1_700_000_000_000L;

        World(int seed, int maxMembers) {
            random = new Random(seed);
            name = "seed " + seed;
            config = new PresenceConfig(maxMembers, LEAVE_MILLIS);
        }

        @Override
        public long nanos() {
            return nowMillis * 1_000_000;
        }

        @Override
        public long millis() {
            return nowMillis;
        }

        @Override
        public long micros() {
            return nowMillis * 1_000;
        }

        Node start() {
            Node node = new Node(this, "n" + started++);
            nodes.add(node);
            return node;
        }

        /** Appends a message, and checks that no present member leaves. */
        void append(byte[] message) {
            messages.add(message);
            // A message about one member can remove only this one.
            Set<String> before = observer.mayLeave(message);
            observer.apply(message);
            if (!observer.counted) {
                before.removeAll(observer.members.keySet());
                for (String user : before) {
                    assertThat(absences.getOrDefault(user, List.of()))
                            .as(name + ": " + user + " leaves with " + new String(message, StandardCharsets.UTF_8))
                            .anyMatch(absence -> absence.fromMillis <= nowMillis - LEAVE_MILLIS
                                    && absence.toMillis >= nowMillis - SLOW_MILLIS);
                }
            }
        }

        void enter(Node node, String user) {
            node.sessions.merge(user, 1, Integer::sum);
            List<Absence> all = absences.getOrDefault(user, List.of());
            if (!all.isEmpty() && all.getLast().toMillis == Long.MAX_VALUE) {
                all.add(new Absence(all.removeLast().fromMillis, nowMillis));
            }
            node.exchange.enter(ROOM, user, info(user));
        }

        void leave(Node node, String user) {
            node.sessions.merge(user, -1, Integer::sum);
            node.sessions.values().removeIf(count -> count == 0);
            node.exchange.leave(ROOM, user);
            noteAbsent(user);
        }

        private void noteAbsent(String user) {
            if (nodes.stream().noneMatch(node -> node.sessions.containsKey(user))) {
                absences.computeIfAbsent(user, added -> new ArrayList<>()).add(new Absence(nowMillis, Long.MAX_VALUE));
            }
        }

        void kill(Node node) {
            nodes.remove(node);
            node.sessions.keySet().forEach(this::noteAbsent);
        }

        /** Stops a node: its messages are written before its last report. */
        void stop(Node node) {
            while (!node.outgoing.isEmpty()) {
                node.write(false);
            }
            node.exchange.sayBye(nanos(), node::report);
            kill(node);
        }

        /** Lets time pass; each node writes and reads once in each step of 100 ms. */
        void pass(long millis) {
            for (long passed = 0; passed < millis; passed += 100) {
                nowMillis += 100;
                List.copyOf(nodes).forEach(node -> node.turn(true));
            }
        }

        Map<String, String> truth() {
            Map<String, Integer> sessions = new TreeMap<>();
            nodes.forEach(node -> node.sessions.forEach((user, count) -> sessions.merge(user, count, Integer::sum)));
            Map<String, String> truth = new TreeMap<>();
            sessions.forEach((user, count) -> truth.put(user, count + Objects.toString(info(user))));
            return truth;
        }
    }

    static @Nullable String info(String user) {
        return user.endsWith("1") ? "{\"n\":\"\u00fc}\"}" : null;
    }

    /** A loop whose tasks wait until the node's turn. */
    private static final class TurnLoop implements Loop {
        private final Deque<Runnable> tasks = new ArrayDeque<>();

        @Override
        public boolean inLoop() {
            return true;
        }

        @Override
        public void execute(Runnable task) {
            tasks.add(task);
        }

        @Override
        public void nextTurn(Runnable task) {
            tasks.add(task);
        }

        @Override
        public void after(long nanos, Runnable task) {
            throw new UnsupportedOperationException("no delays here");
        }

        @Override
        public void every(long millis, Runnable task) {
            throw new UnsupportedOperationException("the test calls periodic work");
        }

        void runAll() {
            for (Runnable next = tasks.poll(); next != null; next = tasks.poll()) {
                next.run();
            }
        }
    }

    /** A node with one lane. */
    static final class Node implements MemberExchange.Listener, PresenceRooms.Observer {
        private static final Map<Integer, Counters> COUNTERS = new HashMap<>();

        final World world;
        final String name;
        final Map<String, Integer> sessions = new TreeMap<>();
        final MemberExchange exchange = new MemberExchange(this, GONE_MILLIS, 1_000_000);
        final Deque<byte[]> outgoing = new ArrayDeque<>();
        private final TurnLoop loop = new TurnLoop();
        private final Turn turn;
        final PresenceRooms rooms;
        private final SharedRooms shared;
        private final SubjectKey key = new SubjectKey(1);
        final List<Follower> followers = new ArrayList<>();
        private int reportsRead;
        int messagesRead;
        boolean leading;
        private long spokeMillis;

        /** The first record of a node is lost: its producer does not know the topic yet, and does not wait. */
        private boolean firstLost;

        private boolean lost;
        final long startedMillis;

        Node(World world, String name) {
            this.world = world;
            this.name = name;
            var counters = COUNTERS.computeIfAbsent(1, Counters::new).loop(0);
            turn = new Turn(loop, world, counters, new Turn.End() {
                @Override
                public void endTurn() {
                    // Nothing is recorded.
                }

                @Override
                public void afterTurn() {
                    // There are no other lanes.
                }
            });
            LongWork work = new LongWork(turn, counters);
            rooms = new PresenceRooms(
                    turn,
                    work,
                    counters,
                    new SubjectKey(1),
                    MESSAGE_BYTES,
                    world.config,
                    (subject, data) -> outgoing.add(data));
            shared = new SharedRooms(turn, work, rooms);
            rooms.observe(this);
            startedMillis = world.nowMillis;
            // It has read the messages of the cached time only, and the reports of nodes that may be alive.
            messagesRead = Math.max(0, world.messages.size() - 3);
            reportsRead = Math.max(0, world.reports.size() - 20);
        }

        /** Does what the node's threads do in 100 ms; a node that is slow reads and writes only a part. */
        void turn(boolean all) {
            turn.begin();
            readReports(all ? Integer.MAX_VALUE : world.random.nextInt(5));
            readMessages(all ? Integer.MAX_VALUE : world.random.nextInt(5));
            boolean alive = world.nowMillis - spokeMillis >= 1_000;
            spokeMillis = alive ? world.nowMillis : spokeMillis;
            if (lost) {
                lost = false;
                exchange.sayAll();
            }
            exchange.say(alive, world.nanos(), this::report);
            leading = exchange.lead(world.nanos());
            shared.tick();
            rooms.tick();
            loop.runAll();
            int writes = all ? outgoing.size() : world.random.nextInt(outgoing.size() + 1);
            for (int i = 0; i < writes; i++) {
                write(!all && world.random.nextInt(20) == 0);
            }
        }

        void report(byte[] value) {
            if (!firstLost) {
                firstLost = true;
                lost = true;
                return;
            }
            world.reports.add(new Report(name, value, world.nowMillis));
        }

        /** Writes the next message, or lets it fail: then it is unknown whether it is in the log. */
        void write(boolean fails) {
            byte[] message = outgoing.remove();
            if (!fails || world.random.nextBoolean()) {
                world.append(message);
            }
            if (fails) {
                rooms.onRefused(NAME);
            }
        }

        private void readReports(int most) {
            for (int i = 0; i < most && reportsRead < world.reports.size(); i++) {
                Report report = world.reports.get(reportsRead);
                exchange.onRecord(
                        report.node,
                        report.node.equals(name),
                        report.value,
                        new NodeLog.Place(reportsRead, report.timeMillis));
                reportsRead++;
            }
        }

        private void readMessages(int most) {
            for (int i = 0; i < most && messagesRead < world.messages.size(); i++) {
                byte[] message = world.messages.get(messagesRead++);
                shared.onMessage(key.set(NAME), message);
                followers.forEach(follower -> follower.view.apply(message));
            }
        }

        byte @Nullable [] state() {
            return rooms.state(key.set(NAME));
        }

        @Override
        public void onEntered(ByteBuffer subject, String user, @Nullable String info) {
            shared.onEntered(Presence.bytes(subject), user, info);
        }

        @Override
        public void onLeft(ByteBuffer subject, String user, long silentMillis) {
            shared.onLeft(Presence.bytes(subject), user, silentMillis);
        }

        @Override
        public void onLeading(long untilNanos) {
            shared.onLeading(untilNanos);
        }

        @Override
        public void onNodeStarted() {
            shared.onNodeStarted();
        }

        @Override
        public void onJoined(byte[] subject, String user) {
            world.told.add(user);
            world.events.add("joined " + user);
        }

        @Override
        public void onLeft(byte[] subject, String user) {
            world.told.remove(user);
            world.events.add("left " + user);
        }

        /** Ends the lead, and begins the next one at once. */
        void leadAgain() {
            turn.begin();
            shared.onLeading(world.nanos());
            shared.onLeading(world.nanos() + 5_000_000_000L);
            loop.runAll();
        }
    }

    /** A client that follows the presence subject, and resumes by position on any node. */
    static final class Follower {
        final View view = new View();
        private int at;

        void begin(Node node) {
            view.clear();
            byte[] state = node.state();
            if (state != null) {
                view.apply(state);
            }
            node.followers.add(this);
        }

        void end(Node node) {
            at = node.messagesRead;
            node.followers.remove(this);
        }

        /** Resumes; a node that is behind the position answers when it has read as far. */
        void resume(Node node) {
            node.readMessages(Math.max(0, at - node.messagesRead));
            for (; at < node.messagesRead; at++) {
                view.apply(node.world.messages.get(at));
            }
            node.followers.add(this);
        }
    }

    /** The members that a follower has, by the rules of docs/presence.md. */
    static final class View {
        private static final Pattern EVENT = Pattern.compile("\\{\"event\":\"(\\w+)\"");
        private static final Pattern COUNTS = Pattern.compile("\"users\":(\\d+),\"sessions\":(\\d+)");
        private static final Pattern MEMBER =
                Pattern.compile("\"user\":\"(\\w+)\"(?:,\"sessions\":(\\d+))?(?:,\"info\":(\\{\"n\":\"[^\"]*\"}))?");

        final Map<String, String> members = new TreeMap<>();
        boolean counted;
        int users;
        int sessions;

        /** Returns the members that a message may remove. */
        Set<String> mayLeave(byte[] message) {
            String data = new String(message, StandardCharsets.UTF_8);
            if (data.startsWith("{\"event\":\"state\"")) {
                return new TreeSet<>(members.keySet());
            }
            Matcher member = MEMBER.matcher(data);
            boolean leaves = data.startsWith("{\"event\":\"left\"") && member.find();
            return leaves && members.containsKey(member.group(1))
                    ? new TreeSet<>(Set.of(member.group(1)))
                    : new TreeSet<>();
        }

        void clear() {
            members.clear();
            counted = false;
            users = 0;
            sessions = 0;
        }

        void apply(byte[] message) {
            String data = new String(message, StandardCharsets.UTF_8);
            Matcher event = EVENT.matcher(data);
            assertThat(event.find()).isTrue();
            Matcher member = MEMBER.matcher(data);
            switch (event.group(1)) {
                case "state", "counts" -> {
                    clear();
                    counted = event.group(1).equals("counts");
                    Matcher counts = COUNTS.matcher(data);
                    assertThat(counts.find()).isTrue();
                    users = Integer.parseInt(counts.group(1));
                    sessions = Integer.parseInt(counts.group(2));
                    while (member.find()) {
                        members.put(member.group(1), member.group(2) + member.group(3));
                    }
                }
                case "left" -> {
                    assertThat(member.find()).isTrue();
                    members.remove(member.group(1));
                }
                default -> {
                    assertThat(member.find()).isTrue();
                    members.put(member.group(1), member.group(2) + member.group(3));
                }
            }
        }
    }

    private PlayedMembers() {}
}
