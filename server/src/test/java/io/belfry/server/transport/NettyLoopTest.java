package io.belfry.server.transport;

import static org.junit.jupiter.api.Assertions.assertThrows;

import io.netty.channel.DefaultEventLoop;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class NettyLoopTest {
    private final EndingLoop ending = new EndingLoop();
    private final NettyLoop loop = new NettyLoop(ending);

    @AfterEach
    void end() {
        ending.shutdownGracefully(0, 0, TimeUnit.SECONDS).awaitUninterruptibly(10, TimeUnit.SECONDS);
    }

    @Test
    void lastTaskOfLoopMayAddTask() throws Exception {
        ending.submit(() -> {
                    ending.ended = true;
                    loop.execute(() -> {});
                })
                .get(10, TimeUnit.SECONDS);
    }

    @Test
    void otherThreadsAreRejectedByEndedLoop() {
        ending.ended = true;

        assertThrows(RejectedExecutionException.class, () -> loop.execute(() -> {}));
    }

    /** Rejects tasks like a loop of Netty between its last tasks and its end. */
    private static final class EndingLoop extends DefaultEventLoop {
        private volatile boolean ended;

        @Override
        public void execute(Runnable task) {
            if (ended) {
                reject();
            }
            super.execute(task);
        }
    }
}
