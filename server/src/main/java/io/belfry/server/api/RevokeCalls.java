package io.belfry.server.api;

import io.belfry.protocol.Code;
import io.belfry.server.counter.Counter;
import io.belfry.server.entitlement.Revocations;
import io.belfry.server.entitlement.Revocations.Revocation;
import io.belfry.server.monitor.HttpRefusal;
import io.belfry.server.session.Session;
import io.belfry.server.workgroup.Sliced;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The call that revokes tokens. Any thread, except an event loop: it waits for the lanes. */
final class RevokeCalls {
    private static final Logger LOG = LoggerFactory.getLogger(RevokeCalls.class);

    /** The latest time of the API, which every client can represent: 2^53. */
    private static final long TIME_MAX = 1L << 53;

    private final @Nullable Revocations revocations;
    private final List<ApiLane> lanes;
    private final ApiSetup setup;
    private int counted;

    RevokeCalls(ApiSetup setup, List<ApiLane> lanes) {
        revocations = setup.revocations();
        this.setup = setup;
        this.lanes = lanes;
        if (revocations != null) {
            count(revocations);
        }
    }

    private synchronized void count(Revocations list) {
        int size = list.size();
        setup.lanes().getFirst().count(Counter.REVOCATIONS, size - counted);
        counted = size;
    }

    ApiReply revoke(ApiRequest request) throws IOException {
        ApiArguments arguments = request.arguments();
        if (revocations == null) {
            throw new HttpRefusal(
                    Code.UNSUPPORTED, "tokens are revoked with Entitlement = JWT only; use /v1/disconnect");
        }
        Revocation entry = entry(arguments, revocations.nowMillis());
        add(revocations, entry);
        count(revocations);
        long closed = Sliced.onAll(
                        lanes.stream().map(ApiLane::inspector).toList(), lane -> new Closing(lanes.get(lane.lane())))
                .stream()
                .mapToLong(Integer::longValue)
                .sum();
        Audit.log(request, "revoke", entry + " sessions=" + closed);
        return ApiReply.object(json -> {
            SessionCalls.scope(json, setup.node());
            json.writeNumberField("disconnected", closed);
            json.writeNumberField("revocations", revocations.size());
        });
    }

    private static Revocation entry(ApiArguments arguments, long now) {
        Optional<String> user = arguments.text("user");
        Optional<String> token = arguments.text("jti");
        Optional<Long> issuedBefore = arguments.time("issuedBefore", TIME_MAX);
        long until = arguments
                .time("until", TIME_MAX)
                .orElseThrow(() -> new HttpRefusal(
                        Code.BAD_REQUEST,
                        "until is missing: the time in ms since 1970 at which the last of these tokens has expired"));
        boolean all = user.isEmpty() && token.isEmpty();
        if ((user.isPresent() && token.isPresent())
                || (all && issuedBefore.isEmpty())
                || (token.isPresent() && issuedBefore.isPresent())) {
            throw new HttpRefusal(Code.BAD_REQUEST, "the call needs user, or jti alone, or issuedBefore");
        }
        if (user.map(RevokeCalls::hasControl).orElse(false)) {
            throw new HttpRefusal(Code.BAD_REQUEST, "no user has a name with control characters");
        }
        return token.map(id -> Revocation.ofToken(id, until))
                .orElseGet(() -> all
                        ? Revocation.ofAll(issuedBefore.get(), until)
                        : Revocation.ofUser(user.get(), issuedBefore.orElse(now), until));
    }

    private static boolean hasControl(String text) {
        return text.chars().anyMatch(Character::isISOControl);
    }

    private static void add(Revocations list, Revocation entry) {
        try {
            if (!list.add(entry)) {
                throw new HttpRefusal(Code.REVOCATIONS_FULL);
            }
        } catch (IOException failure) {
            LOG.error(
                    "revocation not stored; a restart forgets it; repeat the call when Api.RevocationFile can be written",
                    failure);
            throw new HttpRefusal(
                    Code.INTERNAL,
                    "new tokens are refused until the server stops, but Api.RevocationFile was not written");
        }
    }

    /** Closes the sessions of one lane whose tokens were revoked, some in each turn. */
    private static final class Closing implements Sliced.Work<Integer> {
        private static final int SLOTS_PER_TURN = 4096;
        private static final int CLOSED_PER_TURN = 100;

        private final ApiLane lane;
        private int slot;
        private int closed;

        Closing(ApiLane lane) {
            this.lane = lane;
        }

        @Override
        public boolean work() {
            int end = Math.min(slot + SLOTS_PER_TURN, lane.inspector().slots());
            int most = closed + CLOSED_PER_TURN;
            for (; slot < end && closed < most; slot++) {
                Session session = lane.inspector().session(slot);
                if (session != null && lane.operator().closeWithdrawn(session)) {
                    closed++;
                }
            }
            return slot >= lane.inspector().slots();
        }

        @Override
        public Integer result() {
            return closed;
        }
    }
}
