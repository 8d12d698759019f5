package io.belfry.settings;

/** A size, or a percentage from 0 to 100. Immutable. */
record ShareType() implements ValueType<ByteShare> {
    private static final String FORM = SizeType.FORM + ", or with % from 0 to 100";

    @Override
    public ByteShare parse(String text) throws BadValue {
        Quantity quantity = Quantity.parse(text, FORM);
        if (!quantity.unit().equals("%")) return new ByteShare.Bytes(SizeType.bytes(quantity, SizeUnit.B));
        if (quantity.number() > 100) throw new BadValue(FORM);
        return new ByteShare.Percent((int) quantity.number());
    }

    @Override
    public String form() {
        return "size | percent";
    }
}
