package io.belfry.server.monitor;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import java.io.IOException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Closes the exchange after a handler, and the connection if the client closed it before the response was sent. Any thread.
 *
 * @param listener name of the listener in the log
 */
public record ClosingHandler(String listener, HttpHandler handler) implements HttpHandler {
    private static final Logger LOG = LoggerFactory.getLogger(ClosingHandler.class);

    /**
     * Passes the exception of a failed response on. If the last flush of a response fails, closing the exchange leaves the connection
     * open; the JDK's server closes it only after an exception of the handler.
     */
    @Override
    public void handle(HttpExchange exchange) throws IOException {
        try (exchange) {
            handler.handle(exchange);
        } catch (IOException closed) {
            LOG.debug("{}: the client closed the connection before the response was sent", listener, closed);
            throw closed;
        }
    }
}
