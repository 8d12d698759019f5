package io.belfry.settings;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;

/** Paths of the file system. Immutable. */
record PathType() implements ValueType<Path> {
    @Override
    public Path parse(String text) throws BadValue {
        try {
            return Path.of(text);
        } catch (InvalidPathException notAPath) {
            throw new BadValue("not a path: " + notAPath.getReason());
        }
    }

    @Override
    public String form() {
        return "path";
    }
}
