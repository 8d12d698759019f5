package io.belfry.server.transport;

import io.belfry.server.codec.HttpMethod;
import io.belfry.server.codec.HttpRequest;
import java.util.List;

/**
 * One HTTP path of the listeners: what it accepts, and what serves it. Immutable; all connections of a loop share it.
 *
 * @param methods the methods that the path accepts besides OPTIONS
 * @param parameters names of the query parameters that the handler reads; the server ignores others
 * @param traced whether a tracer records the calls of this path
 * @param handler begins to serve a request
 */
record HttpEndpoint(Methods methods, String path, List<String> parameters, Body body, boolean traced, Handler handler) {
    /** The methods of a path. */
    enum Methods {
        /** The handler checks the method. */
        ANY(""),
        READ("GET, HEAD"),
        POST("POST");

        private final String names;

        Methods(String names) {
            this.names = names;
        }

        /** Returns the methods as in the field Allow. */
        String names() {
            return names;
        }

        boolean include(HttpMethod method) {
            return switch (this) {
                case ANY -> true;
                case READ -> method == HttpMethod.GET || method == HttpMethod.HEAD;
                case POST -> method == HttpMethod.POST;
            };
        }
    }

    /** When the body of a request is read. */
    enum Body {
        /** The body is skipped. */
        SKIPPED,
        /** The handler reads the body of an accepted method, after it has permitted the request. */
        AFTER_PERMISSION,
        /** The handler reads a body first, with any method and also while the server drains; for conformance suites. */
        FIRST
    }

    /** Begins to serve a request: answers it, or sets what the answer waits for. Pure; the state is in the connection. */
    @FunctionalInterface
    interface Handler {
        void serve(EndpointExchange http, HttpRequest request);
    }

    /** Returns an endpoint for GET and HEAD. */
    static HttpEndpoint read(String path, Handler handler, String... parameters) {
        return new HttpEndpoint(Methods.READ, path, List.of(parameters), Body.SKIPPED, false, handler);
    }

    /** Returns an endpoint for POST whose handler reads the body. */
    static HttpEndpoint post(String path, Handler handler, String... parameters) {
        return new HttpEndpoint(Methods.POST, path, List.of(parameters), Body.AFTER_PERMISSION, false, handler);
    }

    /** Returns an endpoint whose handler checks the method. */
    static HttpEndpoint any(String path, Body body, Handler handler) {
        return new HttpEndpoint(Methods.ANY, path, List.of(), body, false, handler);
    }

    /** Returns this endpoint with traced calls. */
    HttpEndpoint withTracing() {
        return new HttpEndpoint(methods, path, parameters, body, true, handler);
    }

    boolean reads(String parameter) {
        return parameters.contains(parameter);
    }

    /** Returns whether the handler reads the body of a permitted request, so that it must not be skipped. */
    boolean takesBody(HttpRequest request) {
        return body == Body.AFTER_PERMISSION && methods.include(request.method());
    }
}
