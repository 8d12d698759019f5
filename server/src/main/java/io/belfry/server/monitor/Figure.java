package io.belfry.server.monitor;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** Says what a bean's attribute means; shown by JMX clients and compared with docs/monitoring.md by a test. */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
@interface Figure {
    /** The sentence, with a capital and a full stop. */
    String value();

    String unit();
}
