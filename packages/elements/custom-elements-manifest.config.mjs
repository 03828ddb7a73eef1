/** The analyzer would write the place of its output into package.json, wherever that is. */
export default { packagejson: false };
