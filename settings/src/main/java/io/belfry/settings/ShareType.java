package io.belfry.settings;

record ShareType() implements ValueType<Share> {
    private static final String FORM = SizeType.FORM + ", or with % from 0 to 100";

    @Override
    public Share parse(String text) throws BadValue {
        Quantity quantity = Quantity.parse(text, FORM);
        if (!quantity.unit().equals("%")) return new Share.Bytes(SizeType.bytes(quantity, SizeUnit.B));
        if (quantity.number() > 100) throw new BadValue(FORM);
        return new Share.Percent((int) quantity.number());
    }

    @Override
    public String form() {
        return "size | percent";
    }
}
