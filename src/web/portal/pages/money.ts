/** Such as "€30.00". Amounts are decimal texts; they are only shown as numbers. */
export function formatMoney(amount: string, currency: string): string {
  return new Intl.NumberFormat("en", { style: "currency", currency, maximumFractionDigits: 12 }).format(Number(amount));
}
