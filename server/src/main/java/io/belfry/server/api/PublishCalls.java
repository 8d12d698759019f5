package io.belfry.server.api;

import com.fasterxml.jackson.core.JsonGenerator;
import io.belfry.protocol.Code;
import io.belfry.protocol.Subjects;
import io.belfry.server.config.ApiConfig;
import io.belfry.server.monitor.HttpRefusal;
import io.belfry.server.workgroup.Lane;
import io.belfry.server.workgroup.PublishBatch;
import io.belfry.server.workgroup.PublishBatch.Outcome;
import io.belfry.server.workgroup.PublishBatch.Outcomes;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;

/** The calls that publish. The lanes take turns, each with the publishes of one request. Any thread. */
final class PublishCalls {
    /** Time within which a lane ends a batch that took too long. */
    private static final long END_SECONDS = 3;

    private final ApiConfig config;
    private final List<Lane> lanes;
    private final AtomicInteger turns = new AtomicInteger();

    PublishCalls(ApiConfig config, List<Lane> lanes) {
        this.config = config;
        this.lanes = lanes;
    }

    private Lane nextLane() {
        return lanes.get(Math.floorMod(turns.getAndIncrement(), lanes.size()));
    }

    /** Publishes one message, or one per line. */
    ApiReply publish(ApiRequest request) throws IOException {
        if (request.hasLines()) {
            return batch(request.body());
        }
        return reply(
                outcomes(PublishBatch.one(nextLane(), request.body())).each().getFirst());
    }

    /** Removes the stored messages of a subject, the retained one too. */
    ApiReply remove(ApiRequest request) {
        byte[] subject = SubjectCalls.subject(request);
        if (Subjects.isOfServer(subject)) {
            throw new HttpRefusal(Code.BAD_SUBJECT, "the subjects of the server cannot be removed");
        }
        Outcome outcome =
                outcomes(PublishBatch.removal(nextLane(), subject)).each().getFirst();
        Audit.log(
                request,
                "remove history",
                "subject=" + outcome.subject() + " seq=" + outcome.seq()
                        + (outcome.code() == null
                                ? ""
                                : " code=" + outcome.code().text()));
        return reply(outcome);
    }

    private static ApiReply reply(Outcome outcome) {
        return outcome.code() != null
                ? ApiReply.refusal(outcome.code(), reason(outcome))
                : ApiReply.object(json -> {
                    json.writeStringField("subject", outcome.subject());
                    position(json, outcome);
                });
    }

    private ApiReply batch(byte[] body) {
        int[] bounds = lines(body, config.batchLines());
        if (bounds.length == 0) {
            throw new HttpRefusal(Code.BAD_REQUEST, "the batch has no lines");
        }
        Outcomes outcomes = outcomes(PublishBatch.lines(nextLane(), body, bounds));
        return ApiReply.lines(outcomes.each(), PublishCalls::result);
    }

    /** Publishes one message to several subjects. */
    ApiReply broadcast(ApiRequest request) throws IOException {
        if (request.hasLines()) {
            throw new HttpRefusal(Code.BAD_REQUEST, "this call takes one JSON object");
        }
        Outcomes outcomes = outcomes(PublishBatch.broadcast(nextLane(), request.body()));
        if (outcomes.whole() != null) {
            throw new HttpRefusal(
                    outcomes.whole(),
                    outcomes.reason() == null ? outcomes.whole().sentence() : outcomes.reason());
        }
        return ApiReply.object(json -> {
            json.writeArrayFieldStart("results");
            for (Outcome each : outcomes.each()) {
                json.writeStartObject();
                if (each.subject() != null) {
                    json.writeStringField("subject", each.subject());
                }
                result(json, each);
                json.writeEndObject();
            }
            json.writeEndArray();
        });
    }

    private Outcomes outcomes(PublishBatch batch) {
        batch.start();
        try {
            return batch.outcomes().get(config.callMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException late) {
            batch.abandon();
            return ended(batch);
        } catch (InterruptedException stopping) {
            Thread.currentThread().interrupt();
            throw new HttpRefusal(Code.NOT_READY, "the server stops; the outcome of the publish is unknown");
        } catch (ExecutionException failure) {
            throw new IllegalStateException(failure.getCause());
        }
    }

    private static Outcomes ended(PublishBatch batch) {
        try {
            return batch.outcomes().get(END_SECONDS, TimeUnit.SECONDS);
        } catch (TimeoutException late) {
            throw new HttpRefusal(Code.PUBLISH_UNKNOWN);
        } catch (InterruptedException stopping) {
            Thread.currentThread().interrupt();
            throw new HttpRefusal(Code.PUBLISH_UNKNOWN);
        } catch (ExecutionException failure) {
            throw new IllegalStateException(failure.getCause());
        }
    }

    private static void result(JsonGenerator json, Outcome outcome) throws IOException {
        if (outcome.code() == null) {
            position(json, outcome);
        } else {
            ApiReply.fault(json, outcome.code(), outcome.reason());
        }
    }

    private static String reason(Outcome outcome) {
        return outcome.reason() == null ? "" : outcome.reason();
    }

    private static void position(JsonGenerator json, Outcome outcome) throws IOException {
        json.writeNumberField("epoch", outcome.epoch());
        json.writeNumberField("seq", outcome.seq());
    }

    /** Returns begin and end of each line that is not blank. */
    static int[] lines(byte[] body, int most) {
        int[] bounds = new int[64];
        int count = 0;
        int begin = 0;
        while (begin < body.length) {
            int end = begin;
            while (end < body.length && body[end] != '\n') {
                end++;
            }
            if (!isBlank(body, begin, end)) {
                if (count == 2L * most) {
                    throw new HttpRefusal(Code.TOO_MANY_LINES, "the batch has more lines than Api.BatchLines, " + most);
                }
                if (count == bounds.length) {
                    bounds = Arrays.copyOf(bounds, count * 2);
                }
                bounds[count++] = begin;
                bounds[count++] = end;
            }
            begin = end + 1;
        }
        return Arrays.copyOf(bounds, count);
    }

    private static boolean isBlank(byte[] body, int begin, int end) {
        for (int i = begin; i < end; i++) {
            if (body[i] != ' ' && body[i] != '\t' && body[i] != '\r') {
                return false;
            }
        }
        return true;
    }
}
