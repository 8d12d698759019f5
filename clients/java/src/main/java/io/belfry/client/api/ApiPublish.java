package io.belfry.client.api;

/** A message of a batch. Immutable. */
public record ApiPublish(String subject, ApiContent content) {}
