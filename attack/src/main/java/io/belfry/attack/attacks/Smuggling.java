package io.belfry.attack.attacks;

import io.belfry.attack.wire.Answers;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/** Requests that two servers in a row could take apart differently: none may get two answers. Immutable. */
record Smuggling() implements Attack {
    private static final double PER_SECOND = 40;

    /** A second answer comes at once or not at all, and a corpus is long. */
    private static final int PATIENCE_SHARE = 4;

    @Override
    public String name() {
        return "smuggling";
    }

    @Override
    public String sentence() {
        return "a corpus of requests whose end can be read in two ways, which must be refused and end the connection";
    }

    @Override
    public void run(Field field) throws IOException {
        Pace pace = field.pace(PER_SECOND);
        int sent = 0;
        for (SmugglingCorpus.Case each : SmugglingCorpus.load().cases()) {
            pace.next();
            String request =
                    each.text().replace("{host}", field.door().host()).replace("{authorization}", authorization(field));
            judge(
                    field,
                    each,
                    field.exchange(
                            request.getBytes(StandardCharsets.ISO_8859_1),
                            field.patience().dividedBy(PATIENCE_SHARE)));
            sent++;
        }
        field.did(sent + " requests");
    }

    private static String authorization(Field field) {
        String token = field.facts().token();
        return token == null ? "" : "Authorization: Bearer " + token + "\r\n";
    }

    private static void judge(Field field, SmugglingCorpus.Case each, Field.Exchange came) {
        Answers answers = came.answers();
        switch (each.expected()) {
            case REFUSED -> {
                if (answers.whole().size() > 1) {
                    field.gaveWay(each.name() + " got two answers: " + answers);
                } else if (answers.whole().stream().anyMatch(answer -> !answer.isError())) {
                    field.gaveWay(each.name() + " was taken: " + answers);
                } else if (!came.ended()) {
                    field.gaveWay("after " + each.name() + " the connection stayed open");
                }
            }
            case ONE -> expect(field, each, answers, 1);
            case TWO -> expect(field, each, answers, 2);
        }
    }

    private static void expect(Field field, SmugglingCorpus.Case each, Answers answers, int count) {
        if (answers.whole().size() != count) {
            field.gaveWay(
                    each.name() + " got " + answers.whole().size() + " answers instead of " + count + ": " + answers);
        }
    }
}
