package io.belfry.plan.model;

import io.belfry.plan.coefficient.Coefficients;
import io.belfry.plan.coefficient.CoefficientsFile;
import io.belfry.plan.input.Demands;
import io.belfry.plan.input.Machine;
import io.belfry.plan.input.Retention;
import io.belfry.plan.input.Workload;
import java.io.IOException;
import java.io.UncheckedIOException;

/** Questions of tests. */
final class Given {
    static final Machine LARGE = new Machine(16, 128L << 30, 25e9, 20_000_000, 0.6, 0.9, 0.85, 200_000);
    static final Machine SMALL = new Machine(2, 8L << 30, 1e9, 1_048_576, 0.6, 0.9, 0.85, 200_000);
    static final Retention NONE = new Retention(0, 0);
    static final Retention USUAL = new Retention(60, 1000);
    static final Coefficients OURS = ours();

    private Given() {}

    private static Coefficients ours() {
        try {
            return CoefficientsFile.ours();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** WebSockets without TLS that stay connected. */
    static Workload work(long clients, double perSecond, long bytes, double audience) {
        return new Workload(clients, perSecond, bytes, audience, 1, 16, 0, 0, 0, 0, 0, 25);
    }

    static Workload encrypted(Workload work) {
        return new Workload(
                work.clients(),
                work.perSecond(),
                work.bytes(),
                work.audience(),
                work.subjects(),
                work.subjectBytes(),
                1,
                work.streams(),
                work.json(),
                work.comings(),
                work.slow(),
                work.pingSeconds());
    }

    static Workload streams(Workload work) {
        return new Workload(
                work.clients(),
                work.perSecond(),
                work.bytes(),
                work.audience(),
                work.subjects(),
                work.subjectBytes(),
                0,
                1,
                0,
                work.comings(),
                work.slow(),
                work.pingSeconds());
    }

    static Demands demands(int failures, long cells, Demands.Join join) {
        return new Demands(failures, 0.5, cells, join, new Demands.Brokers(3, 1, 16, 25e9, 200e6, 3600));
    }

    static Plan plan(Workload work, Machine machine, Retention retention, Demands demands) {
        return new Planner(machine, retention, demands, OURS).plan(work);
    }
}
