package io.belfry.plan.input;

/** What can be wrong with a question, as programs read it: the codes stay as they are. */
public enum Trouble {
    BAD_VALUE("bad-value"),
    CONTRADICTION("contradiction"),
    UNKNOWN_COEFFICIENT("unknown-coefficient"),
    BAD_COEFFICIENTS("bad-coefficients"),
    /** Rightly asked, but no number of nodes will do. */
    DOES_NOT_FIT("does-not-fit");

    private final String code;

    Trouble(String code) {
        this.code = code;
    }

    public String code() {
        return code;
    }
}
