module belfry.io/belfry

go 1.19
