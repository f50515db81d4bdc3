export default class Hook {}
