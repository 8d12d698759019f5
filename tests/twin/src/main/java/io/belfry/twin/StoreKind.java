package io.belfry.twin;

import java.io.IOException;
import java.nio.file.Path;

/** The stores there are to compare. */
enum StoreKind {
    /** The server's history in memory: what a store costs that syncs nothing and survives nothing. */
    MEMORY {
        @Override
        Store open(Path folder) {
            return new MemoryStore();
        }
    },
    /** The server's history on disk. */
    DISK {
        @Override
        Store open(Path folder) throws IOException {
            return DiskStore.open(folder);
        }
    },
    /** RocksDB as it comes, but for the compression. */
    ROCKSDB {
        @Override
        Store open(Path folder) throws IOException {
            return RocksStore.open(folder, RocksStore.Compaction.LEVEL);
        }
    },
    /** RocksDB rewriting less and searching more. */
    ROCKSDB_UNIVERSAL {
        @Override
        Store open(Path folder) throws IOException {
            return RocksStore.open(folder, RocksStore.Compaction.UNIVERSAL);
        }
    };

    abstract Store open(Path folder) throws IOException;

    boolean survives() {
        return this != MEMORY;
    }

    String text() {
        return name().toLowerCase(java.util.Locale.ROOT).replace('_', '-');
    }

    static StoreKind of(String text) {
        return valueOf(text.toUpperCase(java.util.Locale.ROOT).replace('-', '_'));
    }
}
