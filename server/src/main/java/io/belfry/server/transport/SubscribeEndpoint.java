package io.belfry.server.transport;

import io.belfry.server.codec.HttpMethod;
import io.belfry.server.codec.HttpRequest;
import io.belfry.server.codec.ReplyTerms;
import io.belfry.server.entitlement.Decision;
import io.belfry.server.entitlement.Principal;
import io.belfry.server.workgroup.Lane;
import io.netty.buffer.ByteBuf;
import java.util.List;

/** Serves {@code /subscribe}: begins a stream. Pure. */
final class SubscribeEndpoint {
    private SubscribeEndpoint() {}

    static void serve(EndpointExchange http, HttpRequest request) {
        http.admit(request, principal -> begin(http, request, principal));
    }

    private static void begin(EndpointExchange http, HttpRequest request, Principal principal) {
        StreamRequest wanted = StreamRequest.of(request);
        if (wanted.problem() != null) {
            http.answer().refuse(wanted.code(), wanted.problem());
            return;
        }
        Lane lane = http.context().lane();
        List<Decision> decisions = wanted.subjects().stream()
                .map(subject -> lane.commands().mayRead(principal, subject))
                .toList();
        // If all subjects are denied, because EventSource in browsers would keep an empty stream open forever.
        if (decisions.getLast() instanceof Decision.Denied denied
                && decisions.stream().allMatch(Decision.Denied.class::isInstance)) {
            http.answer().refuse(denied.code(), denied.reason());
        } else if (request.method() == HttpMethod.HEAD) {
            http.answer().streamHead(wanted.contentType());
        } else {
            stream(http, wanted, principal, decisions);
        }
    }

    private static void stream(
            EndpointExchange http, StreamRequest wanted, Principal principal, List<Decision> decisions) {
        ReplyTerms terms = http.answer().terms();
        http.endApi();
        Connection connection = http.connection();
        HttpStreamConnection stream = new HttpStreamConnection(connection, wanted, principal);
        ByteBuf out = http.context().scratch();
        http.context()
                .responses()
                .writeStreamHead(out, terms, wanted.contentType(), stream.sessionName(), stream.pingMillis());
        connection.stage(out, 0, out.readableBytes());
        http.become(stream);
        stream.start(decisions);
    }
}
