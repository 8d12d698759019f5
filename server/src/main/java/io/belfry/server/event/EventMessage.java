package io.belfry.server.event;

/**
 * One event, or the loss of some, as a message. Nobody changes its bytes.
 *
 * @param id names the event at this receiver and in this run of the server; at most 64 characters
 * @param key the subject of a message, else the user of the event, else its session, else its subject, else the node; messages with one key have a true order
 * @param data JSON text
 */
@SuppressWarnings("ArrayRecordComponent") // Never compared.
public record EventMessage(String id, String key, byte[] data) {}
