/** The accepted currencies of ISO 4217, by their number of digits after the decimal point. */
const byDigits: Record<number, string> = {
  0: "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF",
  2: `AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF CHF CNY COP
    CRC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL HTG HUF IDR ILS INR IRR
    JMD KES KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN
    NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP
    SZL THB TJS TMT TOP TRY TTD TWD TZS UAH USD UYU UZS VED VES WST XCD XCG YER ZAR ZMW ZWG`,
  3: "BHD IQD JOD KWD LYD OMR TND",
  4: "CLF UYW",
};

const digitsOf = new Map(
  Object.entries(byDigits).flatMap(([digits, codes]) =>
    codes.split(/\s+/).map((code) => [code, Number(digits)] as const),
  ),
);

/** Returns the number of digits of the minor unit: 2 for EUR, 0 for JPY, 3 for KWD. Undefined for an unknown code. */
export function minorDigits(currency: string): number | undefined {
  return digitsOf.get(currency);
}

/** Currencies have at most this number of digits. */
export const maxDigits = 4;

/** Returns the currencies with this number of digits. */
export function currenciesWithDigits(digits: number): string[] {
  return [...digitsOf].filter(([, each]) => each === digits).map(([code]) => code);
}
