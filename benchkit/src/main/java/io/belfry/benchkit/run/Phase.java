package io.belfry.benchkit.run;

/** The parts of a run, in their order. */
enum Phase {
    CONNECTING("ramp up", "rampUp"),
    WARM_UP("warm-up", "warmUp"),
    MEASURING("sustain", "sustain"),
    RAMP_DOWN("ramp down", "rampDown"),
    SETTLING("end", "end");

    private final String words;
    private final String key;

    Phase(String words, String key) {
        this.words = words;
        this.key = key;
    }

    String words() {
        return words;
    }

    /** Its name in the JSON report. */
    String key() {
        return key;
    }
}
