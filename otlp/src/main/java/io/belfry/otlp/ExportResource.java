package io.belfry.otlp;

import io.opentelemetry.proto.common.v1.AnyValue;
import io.opentelemetry.proto.common.v1.KeyValue;
import io.opentelemetry.proto.resource.v1.Resource;
import java.util.Map;
import java.util.TreeMap;

/** The attributes that name this node in all metrics and spans. Immutable. */
record ExportResource(String node, String version) {
    Map<String, String> attributes() {
        return Map.of("service.name", "belfry", "service.instance.id", node, "service.version", version);
    }

    Resource encoded() {
        Resource.Builder resource = Resource.newBuilder();
        new TreeMap<>(attributes()).forEach((name, value) -> resource.addAttributes(attribute(name, value)));
        return resource.build();
    }

    static KeyValue attribute(String name, String value) {
        return KeyValue.newBuilder()
                .setKey(name)
                .setValue(AnyValue.newBuilder().setStringValue(value))
                .build();
    }

    static KeyValue attribute(String name, long value) {
        return KeyValue.newBuilder()
                .setKey(name)
                .setValue(AnyValue.newBuilder().setIntValue(value))
                .build();
    }
}
