/** Imported as text: what it says runs inside workerd. */
declare const text: string;
export default text;
