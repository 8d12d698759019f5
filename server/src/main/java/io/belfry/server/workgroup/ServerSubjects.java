package io.belfry.server.workgroup;

import io.belfry.protocol.Code;
import io.belfry.protocol.CommandHandler;
import io.belfry.protocol.MessageView;
import io.belfry.server.broker.Publication;
import io.belfry.server.subject.SubjectKey;
import io.belfry.server.subject.SubjectTable;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.ObjLongConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Publishes to the server's own subjects, reports which of them have subscribers, and follows them. Any thread; the work is
 * done on the loop of each subject's home. The caller uses a few fixed subjects, because each is remembered.
 */
public final class ServerSubjects {
    private static final Logger LOG = LoggerFactory.getLogger(ServerSubjects.class);

    /** Time for which this node publishes to a subject after another node has asked for it. */
    private static final long ASKED_NANOS = TimeUnit.SECONDS.toNanos(5);

    /** Maximum number of messages of a second that are searched for a question. */
    private static final int MESSAGES_SEARCHED = 1_000;

    private final List<Lane> lanes;
    private final long seed;
    private final byte[] question;
    private final Map<String, OwnSubject> own = new ConcurrentHashMap<>();
    private final Map<String, ServerFollower> followers = new ConcurrentHashMap<>();

    /**
     * Creates the subjects.
     *
     * @param seed seed of the lanes' subject hashes
     * @param question text in a message by which a node with subscribers asks the other nodes of the cluster to publish too
     */
    public ServerSubjects(List<Lane> lanes, long seed, String question) {
        this.lanes = List.copyOf(lanes);
        this.seed = seed;
        this.question = bytes(question);
    }

    /**
     * Returns whether the subject had subscribers on any node when its home looked last, and makes the home look again. Returns
     * false while the home has not looked since the call before: a caller that then publishes nothing does not fill the queue of
     * a busy loop. The first call makes the other nodes of a cluster report their subscribers from now on.
     */
    public boolean isFollowed(String subject) {
        return own(subject).isFollowed();
    }

    /** Returns whether the subject had subscribers on this node when its home looked last. */
    public boolean isFollowedHere(String subject) {
        return own(subject).followedHere;
    }

    /** Publishes a retained message. A refusal is counted like that of a client's publish. */
    public void publish(String subject, byte[] data) {
        own(subject).publish(data);
    }

    /** Subscribes, until {@link #unfollow}, and passes the data and the time in ms since 1970 on, on a lane's loop. */
    public void follow(String subject, ObjLongConsumer<byte[]> receiver) {
        ServerFollower follower = new ServerFollower(lanes.getFirst(), bytes(subject), receiver);
        if (followers.putIfAbsent(subject, follower) == null) {
            submit(lanes.getFirst(), follower::begin);
        }
    }

    public void unfollow(String subject) {
        ServerFollower follower = followers.remove(subject);
        if (follower != null) {
            submit(lanes.getFirst(), follower::end);
        }
    }

    private OwnSubject own(String subject) {
        return own.computeIfAbsent(subject, OwnSubject::new);
    }

    private static byte[] bytes(String subject) {
        return subject.getBytes(StandardCharsets.UTF_8);
    }

    /** Runs the task on the lane's loop. A failure ends the task only. */
    private static void submit(Lane lane, Runnable task) {
        try {
            lane.run(() -> {
                try {
                    task.run();
                } catch (RuntimeException failure) {
                    lane.onFailure(failure);
                }
            });
        } catch (RejectedExecutionException ended) {
            LOG.debug("the loop of lane {} has ended", lane.index(), ended);
        }
    }

    /** One subject. The key is used on the home's loop only. */
    private final class OwnSubject {
        private final byte[] name;
        private final SubjectKey key = new SubjectKey(seed);
        private final Lane lane;
        private final LaneParts home;
        private final Publication publication = new Publication();

        /** Written by the home's loop. */
        private volatile boolean followed;

        /** Written by the home's loop. */
        private volatile boolean followedHere;

        private long searchedSeq = -1;
        private long askedNanos;
        private boolean asked;

        /** Set by the caller, cleared by the home's loop. */
        private volatile boolean looking;

        OwnSubject(String subject) {
            name = bytes(subject);
            lane = lanes.get(lanes.getFirst().parts().subjects.homeOf(new SubjectKey(seed).set(name)));
            home = lane.parts();
            submit(lane, () -> home.broker.onWatched(key.set(name), true));
        }

        boolean isFollowed() {
            if (looking) {
                return false;
            }
            boolean known = followed;
            looking = true;
            submit(lane, this::look);
            return known;
        }

        private void look() {
            int id = home.subjects.find(key.set(name));
            boolean here = id != SubjectTable.NONE && home.subjects.hasSubscribers(id);
            followedHere = here;
            followed = here || home.broker.isFollowedElsewhere(key) || isAskedFor(id);
            looking = false;
        }

        /** Returns whether a recent message of another node asked for this subject, which needs no report of subscribers. */
        private boolean isAskedFor(int id) {
            if (!home.broker.isShared()) {
                return false;
            }
            long seq = id == SubjectTable.NONE ? 0 : home.broker.seq(id);
            if (searchedSeq >= 0 && seq > searchedSeq) {
                home.broker
                        .history()
                        .read(
                                id,
                                searchedSeq,
                                MESSAGES_SEARCHED,
                                new MessageView(),
                                home.turn.nowMillis(),
                                this::search);
            }
            searchedSeq = seq;
            asked &= home.turn.nowNanos() - askedNanos < ASKED_NANOS;
            return asked;
        }

        private boolean search(MessageView message) {
            ByteBuf data = message.data().slice(message.dataOffset(), message.dataLength());
            if (ByteBufUtil.indexOf(Unpooled.wrappedBuffer(question), data) >= 0) {
                askedNanos = home.turn.nowNanos();
                asked = true;
            }
            return true;
        }

        void publish(byte[] data) {
            submit(lane, () -> publishAtHome(data));
        }

        private void publishAtHome(byte[] data) {
            if (data.length > lane.config().messages().maxMessageSize()) {
                home.calls
                        .edge(lane.index())
                        .refused(
                                Publication.NO_SESSION,
                                CommandHandler.NO_ID,
                                Code.MESSAGE_TOO_LARGE,
                                Code.MESSAGE_TOO_LARGE.sentence(),
                                key.set(name));
                return;
            }
            publication
                    .from(lane.index(), Publication.NO_SESSION, CommandHandler.NO_ID, home.turn.nowNanos())
                    .content(Unpooled.wrappedBuffer(data), 0, data.length, 0, 0, true);
            home.calls.home(lane.index()).publish(key.set(name), publication);
        }
    }
}
