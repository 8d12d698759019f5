package io.belfry.settings;

/** Where a value stands, worded so that whoever must change it finds it. Immutable. */
public sealed interface Origin {
    record FileLine(String file, int line) implements Origin {
        @Override
        public String toString() {
            return file + ":" + line;
        }
    }

    record Environment(String variable) implements Origin {
        @Override
        public String toString() {
            return "environment variable " + variable;
        }
    }

    record CommandLine() implements Origin {
        @Override
        public String toString() {
            return "--set";
        }
    }

    record Default() implements Origin {
        @Override
        public String toString() {
            return "default";
        }
    }
}
