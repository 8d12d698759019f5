package io.belfry.benchkit.load;

import io.belfry.benchkit.measure.ClockOffset;
import io.belfry.benchkit.measure.Figures;
import io.belfry.client.connection.ClientLoop;

/** The part of a fleet that lives on one loop. Everything but {@link #loop} is called on that loop. */
interface FleetLoop {
    ClientLoop loop();

    /** Opens the clients; the fleet hears when all of them are ready or one fails. */
    void begin();

    FleetState state();

    /** What was measured since the last call; the caller takes it away by {@link Figures#moveInto}. */
    Figures figures();

    /** Whether latencies count, or the warm-up is going on. */
    void measure(boolean on);

    /** This process's clock has been compared with the server's. */
    void clock(ClockOffset offset);

    /** Ends every connection in order. */
    void finish();
}
