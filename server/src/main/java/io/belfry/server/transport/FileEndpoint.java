package io.belfry.server.transport;

import io.belfry.protocol.Code;
import io.belfry.server.codec.HttpRequest;

/** Serves the files of {@code DocumentRoot}; without one, no path has a file. Pure. */
final class FileEndpoint {
    private FileEndpoint() {}

    static void serve(EndpointExchange http, HttpRequest request) {
        http.context().files().find(request.path()).ifPresentOrElse(http.answer()::file, () -> refuse(http, request));
    }

    /** Answers that the path has no resource. */
    static void refuse(EndpointExchange http, HttpRequest request) {
        http.answer().refuse(Code.NOT_FOUND, "no resource at " + request.path());
    }
}
