# shellcheck shell=sh
# What the programs in bin/ share: finding a JDK, building what is not built. POSIX sh; read, not run.
# Whoever reads this sets `home`, the folder above bin/, and `program`, its name for messages.

: "${home:?}" "${program:?}"

java_needed=25

say() {
    printf '%s: %s\n' "$program" "$*" >&2
}

fail() {
    say "$@"
    exit 1
}

# Prints the feature version, such as 25, of the JDK in this folder; nothing where there is none.
java_feature() {
    [ -x "$1/bin/java" ] || return 0
    if [ -r "$1/release" ]; then
        # Without starting a JVM: this is looked up before every command.
        sed -n 's/^JAVA_VERSION="\([0-9]*\).*/\1/p' "$1/release"
    else
        "$1/bin/java" -version 2>&1 | sed -n 's/.*version "\([0-9]*\).*/\1/p' | head -n 1
    fi
}

java_fits() {
    feature=$(java_feature "$1")
    [ -n "$feature" ] && [ "$feature" -ge "$java_needed" ]
}

# Prints every folder that may hold a JDK, the better ones first, one per line.
java_candidates() {
    [ -z "${JAVA_HOME:-}" ] || printf '%s\n' "$JAVA_HOME"
    if command -v java >/dev/null 2>&1; then
        on_path=$(readlink -f "$(command -v java)" 2>/dev/null || command -v java)
        printf '%s\n' "${on_path%/bin/java}"
    fi
    for candidate in /usr/lib/jvm/* /opt/java* /opt/java/* /opt/jdk* \
        "${HOME:-/root}"/.sdkman/candidates/java/* "${HOME:-/root}"/.jdks/* \
        /Library/Java/JavaVirtualMachines/*/Contents/Home; do
        [ -x "$candidate/bin/java" ] && printf '%s\n' "$candidate"
    done
    return 0
}

# Sets `java` to a Java that is new enough, or ends the program saying what is missing.
find_java() {
    if [ -n "${BELFRY_JAVA_HOME:-}" ]; then
        java_fits "$BELFRY_JAVA_HOME" \
            || fail "BELFRY_JAVA_HOME=$BELFRY_JAVA_HOME holds no JDK $java_needed or later$(java_found "$BELFRY_JAVA_HOME")"
        java=$BELFRY_JAVA_HOME/bin/java
        return
    fi
    java=$(java_candidates | while IFS= read -r candidate; do
        if java_fits "$candidate"; then
            printf '%s\n' "$candidate/bin/java"
            break
        fi
    done)
    [ -n "$java" ] && return
    say "needs a JDK $java_needed or later and found none. Looked at BELFRY_JAVA_HOME, JAVA_HOME, PATH and the usual folders:"
    java_candidates | sort -u | while IFS= read -r candidate; do
        printf '  %s%s\n' "$candidate" "$(java_found "$candidate")" >&2
    done
    fail "install one (Debian: apt install openjdk-$java_needed-jdk, or Eclipse Temurin), or name it in BELFRY_JAVA_HOME"
}

java_found() {
    feature=$(java_feature "$1")
    [ -z "$feature" ] || printf ' (Java %s)' "$feature"
}

# jar_of MODULE: prints its jar; nothing where it is not built.
jar_of() {
    for jar in "$home/$1/target/belfry-$1.jar" "$home/$1/target/belfry-$1"-[0-9]*.jar; do
        case $jar in
            *-sources.jar | *-tests.jar | *-javadoc.jar) ;;
            *) [ ! -f "$jar" ] || { printf '%s\n' "$jar" && return; } ;;
        esac
    done
}

# class_path_of MODULE: prints its class path. The server's jar names the rest of it; the others take all of lib/.
class_path_of() {
    jar=$(jar_of "$1")
    case $jar in
        '') fail "not built yet: run 'mvn -q -DskipTests package' in $home" ;;
        */"belfry-$1.jar") printf '%s\n' "$jar" ;;
        *) printf '%s:%s\n' "$jar" "$home/$1/target/lib/*" ;;
    esac
}

# build_if_missing MODULE...: builds when a jar is not there; a jar older than its sources is only remarked on.
build_if_missing() {
    for module in "$@"; do
        if [ -z "$(jar_of "$module")" ]; then
            build "$@"
            [ -n "$(jar_of "$module")" ] || fail "the build left no jar in $home/$module/target"
            return
        fi
    done
    if [ -t 2 ] && [ -n "$(find "$home/$1/src/main" -newer "$(jar_of "$1")" -type f 2>/dev/null | head -n 1)" ]; then
        say "sources are newer than the build; 'mvn -q -DskipTests package' brings it up to date"
    fi
}

build() {
    command -v mvn >/dev/null 2>&1 \
        || fail "not built yet, and there is no Maven to build it with (Debian: apt install maven)"
    say "not built yet; building once: mvn -q -DskipTests package (a minute or more)"
    modules=$(printf '%s,' "$@")
    (cd "$home" && mvn -q -B -DskipTests -pl "${modules%,}" -am package >&2) || fail "the build failed"
}

# A JVM for a second's work: little heap, the quick compiler, the collector without threads.
quick_java() {
    "$java" -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xmx128m -Xshare:auto --enable-native-access=ALL-UNNAMED \
        --sun-misc-unsafe-memory-access=allow "-Dbelfry.home=$home" "$@"
}

# run_bench MODULE MAIN_CLASS [ARGUMENT]...: becomes a load generator with the heap its configuration asks for.
run_bench() {
    module=$1
    main=$2
    shift 2
    find_java
    build_if_missing "$module"
    class_path=$(class_path_of "$module") || exit $?
    prefix=$(printf '%s_' "$module" | tr '[:lower:]' '[:upper:]')
    heap=$(quick_java -cp "$class_path" io.belfry.settings.HeapOption "$prefix" "$@") || exit $?
    set -f
    # shellcheck disable=SC2086 # the user's options are words
    exec "$java" "-Dbelfry.home=$home" "$heap" "@$home/tuning/jvm/common.options" "@$home/tuning/jvm/load.options" \
        ${BELFRY_BENCH_JAVA_OPTIONS:-} -cp "$class_path" "$main" "$@"
}
