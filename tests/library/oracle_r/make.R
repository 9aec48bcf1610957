# Values of the R packages pROC, epiR and survey, as tables for tests/library/test_oracle_r.py.
#
# In Debian or Ubuntu:
#   apt-get install r-base-core r-cran-proc r-cran-epir r-cran-survey
#   Rscript make.R
# in the folder of this file. The tables in this folder were made with the versions in versions.csv.

suppressMessages({
  library(pROC)
  library(epiR)
  library(survey)
})

number <- function(x) { # the shortest text that round-trips
  short <- sprintf("%.15g", x)
  ifelse(is.na(x) | suppressWarnings(as.double(short)) == x, short, sprintf("%.17g", x))
}
save <- function(table, name) {
  is_real <- vapply(table, is.double, logical(1))
  table[is_real] <- lapply(table[is_real], number)
  write.csv(table, paste0(name, ".csv"), row.names = FALSE, quote = FALSE)
}

# ----------------------------------------------------------------------------------- rows
# 40 customers of 6 rows in 2 regions; scores of two models, the second with ties.

set.seed(20)
n <- 240
customer <- rep(1:40, each = 6)
region <- ifelse(customer <= 24, "north", "south")
label <- as.integer(runif(n) < plogis(-1.2 + rnorm(40)[customer]))
easy <- rnorm(n) + 1.4 * label
a <- round(easy + 0.5 * rnorm(n), 6)
b <- round(easy + 1.0 * rnorm(n), 1)
weight <- ifelse(region == "north", 2, 5) # of strata
odd_weight <- round(exp(0.5 * rnorm(n)), 3) # of rows
rows <- data.frame(label, a, b, customer, region, weight, odd_weight)
save(rows, "rows")

# ------------------------------------------------------------------- areas and DeLong (pROC)

curve_of <- function(score) {
  roc(label, score, levels = c(0, 1), direction = "<", quiet = TRUE)
}
curves <- list(a = curve_of(a), b = curve_of(b))
areas <- NULL
for (name in names(curves)) {
  curve <- curves[[name]]
  partial <- function(limit, corrected) {
    as.numeric(auc(curve,
      partial.auc = c(1, 1 - limit), partial.auc.focus = "specificity",
      partial.auc.correct = corrected
    ))
  }
  areas <- rbind(areas, data.frame(
    model = name, auc = as.numeric(auc(curve)), delong_variance = var(curve, method = "delong"),
    delong_low = ci.auc(curve, method = "delong")[1],
    delong_high = ci.auc(curve, method = "delong")[3],
    raw_0.1 = partial(0.1, FALSE), corrected_0.1 = partial(0.1, TRUE),
    raw_0.35 = partial(0.35, FALSE), corrected_0.35 = partial(0.35, TRUE)
  ))
}
save(areas, "areas")

test <- roc.test(curves$a, curves$b, method = "delong", paired = TRUE)
save(data.frame(
  covariance = cov(curves$a, curves$b, method = "delong"),
  z = as.numeric(test$statistic), p_value = test$p.value
), "paired")

# ------------------------------------------------------------- decisions and limits (epiR)

tables <- list(c(80, 40, 20, 860), c(5, 3, 1, 40), c(30, 0, 4, 500), c(2, 7, 30, 61))
decisions <- NULL
for (counts in tables) { # tp, fp, fn, tn
  for (method in c("exact", "jeffreys")) {
    found <- summary(epi.tests(counts, method = method))
    for (i in seq_len(nrow(found))) {
      decisions <- rbind(decisions, data.frame(
        tp = counts[1], fp = counts[2], fn = counts[3], tn = counts[4], method = method,
        statistic = found$statistic[i], value = as.double(found$est[i]),
        low = as.double(found$lower[i]), high = as.double(found$upper[i])
      ))
    }
  }
}
wanted <- c("tp", "ap", "se", "sp", "diag.ac", "pv.pos", "pv.neg", "lr.pos", "lr.neg")
decisions <- decisions[decisions$statistic %in% wanted, ]
decisions <- decisions[is.finite(decisions$value), ]
save(decisions, "decisions")

# ---------------------------------------------------------- design-based ratios (survey)
# At a reference prior the classes are strata of the design, or it is post-stratified to them.

at_prior <- function(design, prior) {
  total <- sum(weights(design))
  postStratify(design, ~label, data.frame(label = 0:1, Freq = total * c(1 - prior, prior)))
}
ratios <- NULL
add <- function(name, design, prior) {
  for (threshold in c(0.5, 1.5)) {
    alert <- as.numeric(a >= threshold)
    with_outcomes <- update(design,
      alert = alert, none = 1 - alert, tp = alert * label, tn = (1 - alert) * (1 - label),
      positive = label, negative = 1 - label
    )
    of <- list(
      precision = svyratio(~tp, ~alert, with_outcomes),
      recall = svyratio(~tp, ~positive, with_outcomes),
      npv = svyratio(~tn, ~none, with_outcomes),
      specificity = svyratio(~tn, ~negative, with_outcomes)
    )
    for (metric in names(of)) {
      ratios <<- rbind(ratios, data.frame(
        design = name, pi0 = prior, threshold = threshold, metric = metric,
        value = as.double(coef(of[[metric]])), standard_error = as.double(SE(of[[metric]]))
      ))
    }
  }
}

rows$size <- ifelse(region == "north", 2, 5) * table(region)[region]
designs <- list(
  equal = svydesign(ids = ~1, weights = ~1, data = rows),
  weights = svydesign(ids = ~1, weights = ~odd_weight, data = rows),
  strata = svydesign(ids = ~1, strata = ~region, weights = ~weight, data = rows),
  clusters = svydesign(ids = ~customer, weights = ~1, data = rows),
  weighted_clusters = svydesign(ids = ~customer, weights = ~odd_weight, data = rows),
  clusters_in_strata = svydesign(
    ids = ~customer, strata = ~region, weights = ~weight, data = rows
  )
)
for (prior in c(0.05, 0.5)) {
  rows$of_prior <- ifelse(label == 1, prior / sum(label), (1 - prior) / sum(1 - label))
  add("classes", svydesign(ids = ~1, strata = ~label, weights = ~of_prior, data = rows), prior)
  for (name in names(designs)) add(name, at_prior(designs[[name]], prior), prior)
}
add("strata", designs$strata, NA)
add("clusters_in_strata", designs$clusters_in_strata, NA)
finite <- svydesign(ids = ~1, strata = ~region, weights = ~weight, fpc = ~size, data = rows)
add("finite", finite, NA)
save(ratios, "ratios")

# ------------------------------- rows of the tests of PRROC 1.3.1, whose values are in the test

set.seed(101)
uniform <- data.frame(positive = runif(100, 0.3, 1), negative = runif(100, 0, 0.6))
save(uniform, "prroc_uniform")
set.seed(113)
score <- c(rnorm(100, 2), rnorm(100))
soft <- data.frame(score, weight = c(runif(100, 0.5, 1), runif(100, 0, 0.5)))
save(soft, "prroc_soft")

packages <- c("pROC", "epiR", "survey")
save(data.frame(
  name = c("R", packages),
  version = c(
    paste(R.version$major, R.version$minor, sep = "."),
    vapply(packages, function(name) as.character(packageVersion(name)), "")
  )
), "versions")
