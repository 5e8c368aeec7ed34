#define CAT_(a, b) a##b
#define CAT(a, b) CAT_(a, b)
#define S(x) #x
#define V(f, ...) f(0, ##__VA_ARGS__)
#define W(f, ...) f(0 __VA_OPT__(,) __VA_ARGS__)
int CAT(v, __LINE__) = S("a\"b"); V(g); V(g, 1, 2); W(g); W(g, S(x));
