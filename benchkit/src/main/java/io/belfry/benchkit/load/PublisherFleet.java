package io.belfry.benchkit.load;

import io.belfry.client.connection.ClientLoop;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Clients that publish on a schedule. Owner: the conducting thread. */
public final class PublisherFleet extends Fleet {
    /** What is due within it goes out together; also how finely intended times are spaced. */
    static final long TICK_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private final PublisherOptions options;

    public PublisherFleet(PublisherOptions options, List<ClientLoop> loops) {
        this.options = options;
        int first = 0;
        for (int i = 0; i < mustBeSome(loops).size(); i++) {
            int share = share(options.publishers(), loops.size(), i);
            if (share > 0) {
                join(new PublisherLoop(this, options, loops.get(i), first, share));
            }
            first += share;
        }
    }

    @Override
    public int clients() {
        return options.publishers();
    }

    /** Begins to publish; all clients must be ready. */
    public void publish() {
        ask(loop -> {
            ((PublisherLoop) loop).publish();
            return true;
        });
    }

    /** Ends publishing; when {@link FleetState#awaited} is 0, the servers have seen and answered everything. */
    public void settle() {
        ask(loop -> {
            ((PublisherLoop) loop).settle();
            return true;
        });
    }

    /** How many publishes to each subject were acknowledged, by the subject's index; empty if none are asked for. */
    public long[] acknowledgedOfSubject() {
        long[] sum = new long[options.acknowledged() ? options.subjects().size() : 0];
        for (long[] part : ask(loop -> ((PublisherLoop) loop).acknowledgedOfSubject())) {
            for (int i = 0; i < sum.length; i++) {
                sum[i] += part[i];
            }
        }
        return sum;
    }
}
