/** Keeps the analyzer from writing its output path into package.json. */
export default { packagejson: false };
