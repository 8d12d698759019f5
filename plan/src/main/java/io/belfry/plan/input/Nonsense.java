package io.belfry.plan.input;

/** A question that has no answer: which trouble it is, and a sentence for a person. */
public final class Nonsense extends IllegalArgumentException {
    private static final long serialVersionUID = 1;

    private final Trouble trouble;

    public Nonsense(Trouble trouble, String sentence) {
        super(sentence);
        this.trouble = trouble;
    }

    public Trouble trouble() {
        return trouble;
    }

    static Nonsense badValue(String name, String rule, String found) {
        return new Nonsense(Trouble.BAD_VALUE, name + " " + rule + ", not '" + found + "'");
    }
}
