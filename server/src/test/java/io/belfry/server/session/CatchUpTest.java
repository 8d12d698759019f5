package io.belfry.server.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.belfry.protocol.MessageType;
import io.belfry.server.entitlement.Decision;
import io.belfry.server.entitlement.Principal;
import java.lang.reflect.Proxy;
import org.junit.jupiter.api.Test;

class CatchUpTest {
    private final Session session = new Session(outbound(), principal(), 0, 1, 0, 0);

    private static Outbound outbound() {
        return (Outbound) Proxy.newProxyInstance(
                Outbound.class.getClassLoader(), new Class<?>[] {Outbound.class}, (proxy, method, arguments) -> {
                    throw new AssertionError(method);
                });
    }

    private static Principal principal() {
        return new Principal() {
            @Override
            public Decision maySubscribe(byte[] subject, long nowMillis) {
                return Decision.ALLOWED;
            }

            @Override
            public Decision mayPublish(byte[] subject, int length, long nowMillis) {
                return Decision.ALLOWED;
            }
        };
    }

    @Test
    void aSessionCatchesUpAsLongAsItHasAPlace() {
        SessionPlaces.begin(session, 1, 10, 5, MessageType.LIVE);
        SessionPlaces.begin(session, 2, 11, 0, MessageType.HISTORY);
        assertThat(session.isCatchingUp()).isTrue();
        assertThat(session.isOrdinary()).isFalse();
        SessionPlaces.end(session, 1);
        assertThat(session.isCatchingUp()).isTrue();
        SessionPlaces.end(session, 2);
        assertThat(session.isCatchingUp()).isFalse();
        assertThat(session.isOrdinary()).isTrue();
        assertThat(session.extras()).isNull();
    }

    @Test
    void aPlaceNeverMovesBack() {
        CatchUp.Place place = SessionPlaces.begin(session, 1, 10, 5, MessageType.LIVE);
        place.advance(9);
        place.advance(7);
        assertThat(place.afterSeq()).isEqualTo(9);
        assertThat(SessionPlaces.at(session, 1)).isSameAs(place);
        assertThat(SessionPlaces.at(session, 2)).isNull();
    }

    @Test
    void messagesReadAgainNoLongerCountAsLag() {
        CatchUp.Place place = SessionPlaces.begin(session, 1, 10, 5, MessageType.LIVE);
        CatchUp catchUp = SessionPlaces.created(session);
        catchUp.onMissed(place, 6, 100);
        assertThat(catchUp.behindMessages()).isEqualTo(1);
        catchUp.onRead(place, 60);
        assertThat(catchUp.behindBytes()).isEqualTo(40);
        catchUp.onRead(place, 60);
        assertThat(catchUp.behindBytes()).isZero();
    }

    @Test
    void endingAPlaceRemovesItsLag() {
        CatchUp.Place one = SessionPlaces.begin(session, 1, 10, 5, MessageType.LIVE);
        CatchUp.Place other = SessionPlaces.begin(session, 2, 11, 7, MessageType.LIVE);
        CatchUp catchUp = SessionPlaces.created(session);
        catchUp.onMissed(one, 6, 100);
        catchUp.onMissed(other, 9, 50);
        assertThat(catchUp.behindMessages()).isEqualTo(3);
        one.leftOut(30);
        assertThat(catchUp.behindBytes()).isEqualTo(80);
        SessionPlaces.end(session, 1);
        assertThat(catchUp.behindBytes()).isEqualTo(50);
        assertThat(catchUp.behindMessages()).isEqualTo(2);
    }

    @Test
    void theStartOfAStallIsKeptUntilTheSessionMoves() {
        SessionPlaces.onStalled(session, 77);
        SessionPlaces.begin(session, 1, 10, 5, MessageType.LIVE);
        SessionPlaces.end(session, 1);
        assertThat(SessionPlaces.created(session).stalledSinceNanos()).isEqualTo(77);
        SessionPlaces.onMoving(session);
        assertThat(session.extras()).isNull();
        SessionPlaces.onMoving(session);
        assertThat(session.extras()).isNull();
    }
}
