/** Imported as text: it runs inside workerd. */
declare const text: string;
export default text;
