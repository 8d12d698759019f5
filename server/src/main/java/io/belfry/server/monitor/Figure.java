package io.belfry.server.monitor;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** Describes an attribute of a bean. JMX clients show the text, and a test compares it with docs/monitoring.md. */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
@interface Figure {
    /** The description: a sentence with a capital letter and a full stop. */
    String value();

    String unit();
}
